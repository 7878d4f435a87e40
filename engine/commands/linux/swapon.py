"""swapon of util-linux 2.39.3: shows swap space, as /proc/swaps has it. Turning it on is not modelled."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.columns import Column, Form, Item, lines
from engine.commands.linux._support.gnu import refuse
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.linux._support.sizes import util_linux
from engine.commands.options import Option, Parsed
from engine.kernel.units import KIB

_COLUMNS = (
    Column("NAME"),
    Column("TYPE"),
    Column("SIZE", right=True),
    Column("USED", right=True),
    Column("PRIO", right=True),
)


def run(ctx: Context, parsed: Parsed) -> int:
    """Show the swap space in use; status 0 even if there is none."""
    if "all" in parsed or parsed.operands:
        if not ctx.is_root and parsed.operands:
            ctx.error(f"swapon: cannot open {parsed.operands[0]}: Permission denied")
            return 1
        return 0 if "all" in parsed and not parsed.operands else ctx.not_modelled("turning on swap space")
    if "show" not in parsed and "summary" not in parsed and ctx.arguments:
        raise refuse(ctx, "bad usage")
    size = str if "bytes" in parsed else util_linux
    rows = [line.split() for line in paths.read_or(ctx, "/proc/swaps").splitlines()[1:]]
    items = [
        Item(
            {
                "NAME": name,
                "TYPE": kind,
                "SIZE": size(int(total) * KIB),
                "USED": size(int(used) * KIB),
                "PRIO": priority,
            }
        )
        for name, kind, total, used, priority in rows
    ]
    if items:
        form = Form(tree=False, header="noheadings" not in parsed)
        ctx.write("".join(line + "\n" for line in lines(_COLUMNS, items, form)))
    return 0


COMMAND = program(
    "swapon",
    "show and turn on swap space",
    run,
    suite=UTIL_LINUX,
    section=8,
    path="/usr/sbin",
    synopsis="swapon [--show] | swapon [OPTION]... DEVICE",
    options=(
        Option("a", "all", help="everything in /etc/fstab"),
        Option("d", "discard", "POLICY", optional=True, help="discard freed pages"),
        Option("p", "priority", "NUMBER", help="priority of the space"),
        Option("s", "summary", help="show what is in use"),
        Option(None, "show", "COLUMNS", optional=True, help="show what is in use in a table"),
        Option(None, "noheadings", help="no header"),
        Option(None, "raw", help="without alignment"),
        Option(None, "bytes", help="sizes in bytes"),
        Option("v", "verbose", help="say what is done"),
    ),
    manual="Machines for GPU work usually have no swap space; then nothing is printed.",
)

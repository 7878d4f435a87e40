"""tty of GNU coreutils 9.4."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.gnu import extra_operand
from engine.commands.linux._support.program import program
from engine.commands.options import Option, Parsed


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the terminal's device; status 1 where there is none."""
    if parsed.operands:
        raise extra_operand(ctx, parsed.operands[0], 2)
    name = ctx.environment.get("SSH_TTY") or ("/dev/pts/0" if ctx.terminal else "")
    if "silent" not in parsed:
        ctx.line(name or "not a tty")
    return 0 if name else 1


COMMAND = program(
    "tty",
    "print the name of the terminal",
    run,
    options=(
        Option("s", "silent", help="print nothing, only return a status"),
        Option(None, "quiet", name="silent", help="the same"),
    ),
    manual="Status 0 if standard input is a terminal, 1 if not.",
    status=2,
)

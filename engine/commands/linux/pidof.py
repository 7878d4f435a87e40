"""pidof of sysvinit 3.08, which Ubuntu 24.04 has in sysvinit-utils. Texts compared with sysvinit 3.06."""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import tasks
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.world.records import Process

_OPTIONS = (
    Option("c", None, name="same_root", help="only processes with the same root directory"),
    Option("d", None, "SEPARATOR", name="separator", help="what stands between ids"),
    Option("h", None, name="help", help="print this text"),
    Option("n", None, name="no_stat", help="do not look at network file systems"),
    Option("o", None, "PID", name="omit", help="leave out PID"),
    Option("q", None, name="quiet", help="print nothing, only return a status"),
    Option("s", None, name="single", help="one id only"),
    Option("x", None, name="scripts", help="shells that run a script of that name too"),
    Option("z", None, name="zombies", help="zombies too"),
)


def run(ctx: Context) -> int:
    """Print the ids of the programs named, the newest first. Status 1 if there are none."""
    if "--help" in ctx.arguments:
        return _help(ctx)
    try:
        parsed = parse("pidof", _OPTIONS, ctx.arguments)
    except UsageError:
        return 1
    if "help" in parsed:
        return _help(ctx)
    found = [each for name in parsed.operands for each in _of(ctx, parsed, name)]
    if found and "quiet" not in parsed:
        chosen = found[:1] if "single" in parsed else found
        ctx.line((parsed["separator"] or " ").join(str(each.pid) for each in chosen))
    return 0 if found else 1


def _of(ctx: Context, parsed: Parsed, name: str) -> list[Process]:
    omitted = {word for text in parsed.all("omit") for word in text.split(",")}
    known = [each for each in tasks.tasks(ctx) if str(each.pid) not in omitted and each.parent != 2]
    return [each for each in reversed(known) if _is(each, name, "scripts" in parsed)]


def _is(process: Process, name: str, scripts: bool) -> bool:
    words = process.command.split(" ")
    base = name.rpartition("/")[2]
    first = words[0].rstrip(":").lstrip("-")
    if name in (first, tasks.name(process)) or (
        base == tasks.program(process) and ("/" not in name or "/" not in first)
    ):
        return True
    return scripts and len(words) > 1 and words[1].rpartition("/")[2] == base


def _help(ctx: Context) -> int:
    ctx.line("\n".join(["pidof usage: [options] <program-name>", "", *option_lines(_OPTIONS), ""]))
    return 0


COMMAND = Command(
    "pidof",
    "find the process ids of a program",
    run,
    "pidof [OPTION]... NAME...",
    _OPTIONS,
    "Prints the ids in one line, the newest first.",
    section=8,
)

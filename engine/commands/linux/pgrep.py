"""pgrep of procps-ng 4.0.4: finds processes by name and other marks. Texts compared with procps-ng 4.0.2."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import tasks
from engine.commands.linux._support.process_match import OPTIONS, matching
from engine.commands.linux._support.program import PROCPS, program
from engine.commands.options import Option, Parsed
from engine.world.records import Process


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the ids of what matches. Status 1 if nothing does."""
    found = matching(ctx, parsed)
    if isinstance(found, int):
        return found
    if "count" in parsed:
        ctx.line(str(len(found)))
    elif found and "quiet" not in parsed:
        between = "\n" if parsed["delimiter"] is None else parsed["delimiter"]
        ctx.line(between.join(_shown(each, parsed) for each in found))
    return 0 if found else 1


def _shown(process: Process, parsed: Parsed) -> str:
    if "list-full" in parsed:
        return f"{process.pid} {process.command}"
    return f"{process.pid} {tasks.name(process)}" if "list-name" in parsed else str(process.pid)


COMMAND = program(
    "pgrep",
    "find processes by name and other marks",
    run,
    suite=PROCPS,
    status=2,
    synopsis="pgrep [OPTION]... [PATTERN]",
    options=(
        Option("d", "delimiter", "STRING", help="what stands between ids"),
        Option("l", "list-name", name="list-name", help="ids and names"),
        Option("a", "list-full", name="list-full", help="ids and whole command lines"),
        Option("q", "quiet", help="print nothing, only return a status"),
        Option("v", "inverse", help="what does not match"),
        Option("w", "lightweight", help="threads too"),
        *OPTIONS,
    ),
    manual="""
    PATTERN is a regular expression; it is looked for in the name that the kernel keeps, which is at most 15 characters
    long, or with -f in the whole command line. All conditions given must hold.

    Status: 0 something matched, 1 nothing did, 2 the line was wrong.
    """,
)

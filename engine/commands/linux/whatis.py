"""whatis of man-db 2.12: one line about a command. Texts compared with man-db 2.11."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import Suite, program
from engine.commands.linux._support.whatis_lines import show
from engine.commands.options import Option, Parsed

MAN_DB = Suite("{name} 2.12.0", "Try '{name} --help' or '{name} --usage' for more information.", short_version=True)


async def run(ctx: Context, parsed: Parsed) -> int:
    """Print the descriptions of the pages named."""
    if not parsed.operands:
        ctx.line("whatis what?")
        return 1
    return await show(ctx, parsed, parsed.operands, names_only=True)


COMMAND = program(
    "whatis",
    "tell in one line what a command does",
    run,
    suite=MAN_DB,
    synopsis="whatis [OPTION]... NAME...",
    options=(
        Option("d", "debug", help="ignored"),
        Option("l", "long", help="do not shorten"),
        Option("r", "regex", help="NAME is a regular expression"),
        Option("s", "sections", "LIST", help="only these sections"),
        Option(None, "section", "LIST", name="sections", help="the same"),
        Option("v", "verbose", help="ignored"),
        Option("w", "wildcard", help="NAME is a pattern with * and ?"),
    ),
    manual="Status 0 if something was found, 16 if nothing was.",
)

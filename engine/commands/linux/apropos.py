"""apropos of man-db 2.12: finds manual pages by words. Texts compared with man-db 2.11."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import Suite, program
from engine.commands.linux._support.whatis_lines import show
from engine.commands.options import Option, Parsed

MAN_DB = Suite("{name} 2.12.0", "Try '{name} --help' or '{name} --usage' for more information.", short_version=True)


async def run(ctx: Context, parsed: Parsed) -> int:
    """Print the pages whose names or descriptions match."""
    if not parsed.operands:
        ctx.line("apropos what?")
        return 1
    return await show(ctx, parsed, parsed.operands, names_only=False)


COMMAND = program(
    "apropos",
    "find manual pages by words",
    run,
    suite=MAN_DB,
    synopsis="apropos [OPTION]... WORD...",
    options=(
        Option("a", "and", help="all words must match"),
        Option("d", "debug", help="ignored"),
        Option("e", "exact", help="whole words only"),
        Option("l", "long", help="do not shorten"),
        Option("r", "regex", help="words are regular expressions, as is usual"),
        Option("s", "sections", "LIST", help="only these sections"),
        Option(None, "section", "LIST", name="sections", help="the same"),
        Option("v", "verbose", help="ignored"),
        Option("w", "wildcard", help="words are patterns with * and ?"),
    ),
    manual="Status 0 if something was found, 16 if nothing was.",
)

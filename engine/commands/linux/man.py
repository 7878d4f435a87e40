"""man of man-db 2.12: shows manual pages. Texts compared with man-db 2.11."""

from __future__ import annotations

import re

from engine.commands.context import Context
from engine.commands.linux._support import pager
from engine.commands.linux._support.manual import WIDTH, Page, lines, page, path
from engine.commands.linux._support.program import Suite, program
from engine.commands.linux._support.whatis_lines import show
from engine.commands.options import Option, Parsed

MAN_DB = Suite("{name} 2.12.0", "Try '{name} --help' or '{name} --usage' for more information.", short_version=True)
_NOTHING = 16
_SECTION = re.compile(r"[1-9][a-z]*|[ln]")
_UNMODELLED = ("local-file", "global-apropos", "html", "gxditview", "troff")


async def run(ctx: Context, parsed: Parsed) -> int:
    """Show a page, or say that there is none."""
    for key in _UNMODELLED:
        if key in parsed:
            return ctx.not_modelled(f"man --{key}")
    if "apropos" in parsed or "whatis" in parsed:
        return await show(ctx, parsed, parsed.operands, names_only="whatis" in parsed)
    section = parsed["sections"] or ""
    names = list(parsed.operands)
    if len(names) > 1 and not section and _SECTION.fullmatch(names[0]):
        section = names.pop(0)
    if not names:
        if parsed.operands:
            names = list(parsed.operands)
        else:
            ctx.error("What manual page do you want?\nFor example, try 'man man'.")
            return 1
    return await _show_all(ctx, parsed, names, section)


async def _show_all(ctx: Context, parsed: Parsed, names: list[str], section: str) -> int:
    status = 0
    for name in names:
        found = page(ctx, name)
        if found is None or (section and str(found.section) not in re.split("[,:]", section)):
            explicit = section and "sections" not in parsed
            ctx.error(f"No manual entry for {name}" + (f" in section {section}" if explicit else ""))
            status = _NOTHING
        elif "where" in parsed:
            ctx.line(path(found))
        else:
            await _show(ctx, found)
    return status


async def _show(ctx: Context, found: Page) -> None:
    """Through the pager where there is a terminal."""
    asked = ctx.environment.get("MANWIDTH", "")
    width = (
        int(asked) if asked.isdigit() and int(asked) >= WIDTH // 2 else ctx.terminal.columns if ctx.terminal else WIDTH
    )
    title = f" Manual page {found.name}({found.section}) (press h for help or q to quit)"
    await pager.show(ctx, lines(found, width, bold=ctx.terminal is not None), title=title)


COMMAND = program(
    "man",
    "show the manual page of a command",
    run,
    suite=MAN_DB,
    synopsis="man [OPTION]... [SECTION] PAGE...",
    options=(
        Option("f", "whatis", help="one-line descriptions, as whatis shows them"),
        Option("k", "apropos", help="search in descriptions, as apropos does"),
        Option("K", "global-apropos", help="search in all pages"),
        Option("w", "where", help="only where the page is"),
        Option(None, "path", name="where", help="the same"),
        Option(None, "location", name="where", help="the same"),
        Option("a", "all", help="all pages of that name"),
        Option("l", "local-file", help="PAGE is a file"),
        Option("s", "sections", "LIST", help="only these sections"),
        Option("S", None, "LIST", name="sections", help="the same"),
        Option("P", "pager", "PROGRAM", help="ignored: there is one pager"),
        Option("H", "html", "BROWSER", optional=True, help="in a browser"),
        Option("T", "troff-device", "DEVICE", optional=True, name="troff", help="for another device"),
    ),
    manual="""
    Pages are written for breakfix: they tell what the simulated commands can do. Sections: 1 for commands, 8 for the
    administrator's commands. apropos WORD finds commands by what they do.
    """,
)

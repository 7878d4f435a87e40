"""less 590: a pager. Where the output is no terminal, or the terminal has no full screen, it prints everything as cat
does.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.pager import Pager
from engine.commands.linux._support.program import Suite, program
from engine.commands.options import Option, Parsed
from engine.hostfs.tree import FileError
from engine.kernel.units import SECOND

_SUITE = Suite("less 590 (GNU regular expressions)", trailer="")


async def run(ctx: Context, parsed: Parsed) -> int:
    """Show the files, or standard input."""
    start = [word for word in parsed.operands if word.startswith("+")]
    names = [word for word in parsed.operands if not word.startswith("+")]
    status, text = 0, b""
    for name in names or ["-"]:
        try:
            text += await ctx.stdin.read() if name == "-" else paths.read(ctx, name)
        except FileError as error:
            ctx.error(f"{name} is a directory" if error.text == "Is a directory" else f"{name}: {error.text}")
            status = 1
    if status and not text:
        return status
    if ctx.terminal is None or not await _shown(ctx, parsed, names, start, text):
        ctx.write(text)
    return status


async def _shown(ctx: Context, parsed: Parsed, names: list[str], start: list[str], text: bytes) -> bool:
    """Whether the terminal showed it page by page."""
    assert ctx.terminal is not None
    lines = text.decode("utf-8", "replace").split("\n")
    if lines[-1] == "":
        lines.pop()
    if "quit_if_one_screen" in parsed and len(lines) < ctx.terminal.rows:
        return False
    if "numbers" in parsed:
        lines = [f"{number:>7} {line}" for number, line in enumerate(lines, 1)]
    view = Pager(lines, title=names[0] if names else "", chop="chop" in parsed)
    for word in start:
        if word in ("+G", "+F"):
            view.end_wanted = True
        elif word.startswith("+/"):
            view.pattern = word[2:]
            await view.key("n")
        elif word[1:].isdigit():
            view.top = max(0, int(word[1:]) - 1)
    await ctx.flush()
    return await ctx.terminal.show(view, SECOND if "+F" in start else None) is not None


COMMAND = program(
    "less",
    "show a text page by page",
    run,
    suite=_SUITE,
    synopsis="less [OPTION]... [+LINE|+G|+/PATTERN] [FILE]...",
    options=(
        Option("e", "quit-at-eof", help="end at the end"),
        Option("E", "QUIT-AT-EOF", help="end at the end the first time"),
        Option("F", "quit-if-one-screen", help="do not page what fits"),
        Option("f", "force", help="open anything"),
        Option("i", "ignore-case", help="searches ignore capitals"),
        Option("I", "IGNORE-CASE", help="all searches ignore capitals"),
        Option("m", "long-prompt", help="a longer prompt"),
        Option("M", "LONG-PROMPT", help="an even longer one"),
        Option("n", "line-numbers", help="do not count lines"),
        Option("N", "LINE-NUMBERS", name="numbers", help="with line numbers"),
        Option("q", "quiet", help="no bell"),
        Option("r", "raw-control-chars", help="control characters as they are"),
        Option("R", "RAW-CONTROL-CHARS", help="colours as they are"),
        Option("s", "squeeze-blank-lines", help="one blank line for many"),
        Option("S", "chop-long-lines", name="chop", help="cut long lines"),
        Option("X", "no-init", help="leave the screen as it is"),
    ),
    manual="""
    Keys: space and b for the next and last page, j and k or the arrows for a line, g and G for the beginning and the
    end, /PATTERN and n to search, q to end.
    """,
)

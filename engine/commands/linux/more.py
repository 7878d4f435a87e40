"""more of util-linux 2.39.3: shows a text page by page, through the same pager as less; prints everything where there
is no terminal.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import pager, paths
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.options import Option, Parsed
from engine.hostfs.tree import FileError


async def run(ctx: Context, parsed: Parsed) -> int:
    """Show the files, or standard input."""
    names = [word for word in parsed.operands if not word.startswith("+")]
    status = 0
    for name in names or ["-"]:
        try:
            data = await ctx.stdin.read() if name == "-" else paths.read(ctx, name)
        except FileError as error:
            directory = error.text == "Is a directory"
            ctx.error(f"\n*** {name}: directory ***\n" if directory else f"more: cannot open {name}: {error.text}")
            status = 1
            continue
        if ctx.terminal is None:
            if len(names) > 1:
                ctx.line(f"::::::::::::::\n{name}\n::::::::::::::")
            ctx.write(data)
        else:
            await pager.show(ctx, data.decode("utf-8", "replace").splitlines(), title=name, chop=False)
    return status


COMMAND = program(
    "more",
    "show a text page by page",
    run,
    suite=UTIL_LINUX,
    synopsis="more [OPTION]... FILE...",
    options=(
        Option("d", "silent", help="helpful prompts"),
        Option("f", "logical", help="count lines, not screen rows"),
        Option("l", "no-pause", help="no stop at form feeds"),
        Option("c", "print-over", help="do not scroll"),
        Option("p", "clean-print", help="clear the screen"),
        Option("e", "exit-on-eof", help="end at the end"),
        Option("s", "squeeze", help="one blank line for many"),
        Option("u", "plain", help="no underlining"),
        Option("n", "lines", "N", help="lines of a page"),
    ),
    manual="Shows the files page by page on a terminal, in the same pager as less, and prints them elsewhere.",
)

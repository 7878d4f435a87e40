"""zless of gzip 1.12: shows packed files page by page. Texts compared with gzip 1.12."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.gzip_files import GZIP, NotPacked, found, plain
from engine.commands.linux._support.pager import Pager
from engine.commands.linux._support.program import program
from engine.commands.options import Option, Parsed
from engine.hostfs.tree import FileError


async def run(ctx: Context, parsed: Parsed) -> int:
    """Show the files, one after the other in one text."""
    text, status = b"", 0
    for name in parsed.operands or ["-"]:
        try:
            text += plain(await ctx.stdin.read() if name == "-" else found(ctx, name))
        except FileError as error:
            ctx.error(f"gzip: {error.path or name}: {error.text}\n{name}: {error.text}")
            status = 1
        except NotPacked as error:
            ctx.error(f"\ngzip: {name}: {error}")
            status = 1
    if not text:
        return 0 if not parsed.operands else status
    await ctx.flush()
    view = Pager(text.decode("utf-8", "replace").removesuffix("\n").split("\n"), title=" ".join(parsed.operands))
    if ctx.terminal is None or await ctx.terminal.show(view) is None:
        ctx.write(text)
    return 0


COMMAND = program(
    "zless",
    "show packed files page by page",
    run,
    suite=GZIP,
    synopsis="zless [FILE]...",
    options=(Option("S", None, name="chop", help="cut long lines"), Option("N", None, name="numbers", help="ignored")),
    manual="Keys are those of less.",
)

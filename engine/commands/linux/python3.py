"""python3: the one module that stands in so many lines behind a pipe, json.tool; the language itself is not modelled.

Form and errors of json.tool: Python 3.12.
"""

from __future__ import annotations

import json

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.options import Option
from engine.hostfs.tree import FileError

_HELP = Option(None, "help", help="print this text")


async def run(ctx: Context) -> int:
    """`python3 -m json.tool [FILE]`; nothing else."""
    words = list(ctx.arguments)
    if words == ["--help"]:
        ctx.line("python3: the Python language. breakfix models python3 -m json.tool alone.")
        return 0
    if words in (["--version"], ["-V"]):
        ctx.line("Python 3.12.3")
        return 0
    if words[:2] == ["-m", "json.tool"] and len(words) <= 3 and not any(word.startswith("-") for word in words[2:]):
        return await _json_tool(ctx, words[2] if len(words) > 2 else "-")
    return ctx.not_modelled("python3 (only python3 -m json.tool is)")


async def _json_tool(ctx: Context, name: str) -> int:
    """The text again, four blanks deep."""
    try:
        data = await ctx.stdin.read() if name == "-" else paths.read(ctx, name)
    except FileError:
        missing = f"can't open '{name}': [Errno 2] No such file or directory: '{name}'"
        ctx.error("usage: python -m json.tool [-h] [infile] [outfile]")
        ctx.error(f"python -m json.tool: error: argument infile: {missing}")
        return 2
    try:
        found = json.loads(data.decode("utf-8", "replace"))
    except ValueError as error:
        ctx.error(str(error))
        return 1
    ctx.line(json.dumps(found, indent=4))
    return 0


COMMAND = Command(
    "python3",
    "the Python language",
    run,
    "python3 -m json.tool [FILE]",
    (_HELP,),
    "breakfix models one module: python3 -m json.tool sets out JSON line by line.",
)

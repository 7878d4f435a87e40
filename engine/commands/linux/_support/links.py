"""`test -L` and `-h`: whether a path is a symbolic link. The shell's prologue asks, because the embedded interpreter
follows links.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.hostfs.tree import FileError, FileKind


async def run(ctx: Context) -> int:
    """Status 0 if the argument is a link."""
    if not ctx.arguments or not ctx.arguments[0]:
        return 1
    try:
        stat = paths.tree(ctx).lstat(paths.absolute(ctx, ctx.arguments[0]))
    except FileError:
        return 1
    return 0 if stat.kind is FileKind.SYMLINK else 1

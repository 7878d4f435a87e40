"""Going down a directory tree for the -R of chmod, chown and chgrp: the top first, links below it left alone."""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.commands.linux._support import gnu, paths
from engine.hostfs.tree import FileError, FileKind, Stat


def walk(ctx: Context, path: str, *, recursive: bool, quiet: bool = False) -> Iterator[tuple[str, Stat] | None]:
    """(path as shown, metadata) of `path` and what is below it; None for what could not be read, after saying so."""
    try:
        stat = paths.look(ctx, path)
    except FileError as error:
        if not quiet:
            gnu.file_error(ctx, "cannot access", path, error)
        yield None
        return
    yield path, stat
    if recursive and stat.kind is FileKind.DIRECTORY:
        yield from _below(ctx, path, quiet)


def _below(ctx: Context, path: str, quiet: bool) -> Iterator[tuple[str, Stat] | None]:
    try:
        entries = paths.tree(ctx).entries(paths.absolute(ctx, path))
    except FileError as error:
        if not quiet:
            gnu.file_error(ctx, "cannot read directory", path, error)
        yield None
        return
    for name, stat in entries:
        inside = paths.join(path, name)
        yield inside, stat
        if stat.kind is FileKind.DIRECTORY:
            yield from _below(ctx, inside, quiet)

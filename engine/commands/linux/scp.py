"""scp of OpenSSH 9.6p1: copy files between hosts. Progress appears on a terminal only, with a guessed speed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import paths, remote
from engine.commands.linux._support.names import Resolver
from engine.commands.linux._support.sizes import human
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.control.files import normal
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import ErrorCode, FileError, FileKind
from engine.kernel.units import SECOND

SYNOPSIS = "scp [OPTION]... SOURCE... TARGET"
_BYTES_PER_SECOND = 400_000_000

OPTIONS = (
    Option("r", help="directories with all that is below"),
    Option("p", help="keep times and modes"),
    Option("q", help="no progress"),
    Option("P", None, "PORT", help="the port"),
    Option("i", None, "FILE", help="the key to use"),
    Option("o", None, "OPTION", help="a setting for ssh"),
    *(Option(letter) for letter in "346ABCORTv"),
    *(Option(letter, None, "VALUE") for letter in "cDFJlSX"),
    Option(None, "help", help="print this text and end"),
)


@dataclass(frozen=True)
class _Place:
    """A file or directory: the tree it is in, its path there as typed, and the directory it is relative to."""

    tree: HostTree
    path: str
    base: str
    host: str = ""

    @cached_property
    def absolute(self) -> str:
        return normal(self.path if self.path.startswith("/") else f"{self.base}/{self.path}")

    @property
    def is_directory(self) -> bool:
        try:
            return self.tree.stat(self.absolute).kind is FileKind.DIRECTORY
        except FileError:
            return False

    def inside(self, name: str) -> _Place:
        """An entry of this directory."""
        return _Place(self.tree, f"{self.absolute.rstrip('/')}/{name}", "/", self.host)


class _Failed(Exception):
    """The copy cannot go on."""


async def run(ctx: Context) -> int:
    """Copy the sources to the target."""
    parsed = parse("scp", OPTIONS, ctx.arguments, trailer=_usage(), permute=False)
    if "help" in parsed:
        ctx.write(_usage())
        return 0
    if len(parsed.operands) < 2:
        raise UsageError(_usage())
    resolver = Resolver(ctx)
    try:
        target = await _located(ctx, parsed, resolver, parsed.operands[-1])
        if len(parsed.operands) > 2 and not target.is_directory:
            ctx.error(
                f"scp: {target.path}: Not a directory"
                if _exists(target)
                else f"scp: {target.path}: No such file or directory"
            )
            return 1
        results = [await _copy(ctx, parsed, resolver, source, target) for source in parsed.operands[:-1]]
    except _Failed:
        return remote.FAILED
    return 0 if all(results) else 1


def _usage() -> str:
    return "\n".join([f"usage: {SYNOPSIS}", "", *option_lines([o for o in OPTIONS if o.help]), ""])


async def _located(ctx: Context, parsed: Parsed, resolver: Resolver, text: str) -> _Place:
    """The place that `[user@]host:path` or a local path means."""
    host, colon, path = text.partition(":")
    if not colon or "/" in host:
        return _Place(paths.tree(ctx), text, ctx.directory)
    user, at, name = host.rpartition("@")
    port = int(parsed["P"]) if (parsed["P"] or "").isdigit() else 22
    found = remote.connect(ctx, remote.Target(name, user if at else ctx.identity.name, port), resolver)
    if isinstance(found, remote.Failure):
        if found.gap:
            ctx.not_modelled(found.gap)
        else:
            await ctx.sleep(found.after)
            ctx.error(found.text)
            ctx.error("scp: Connection closed")
        raise _Failed
    tree = HostTree(ctx.simulation, found.host, found.identity)
    return _Place(tree, path or ".", found.identity.home, name)


def _exists(place: _Place) -> bool:
    return place.tree.exists(place.absolute)


async def _copy(ctx: Context, parsed: Parsed, resolver: Resolver, text: str, target: _Place) -> bool:
    source = await _located(ctx, parsed, resolver, text)
    results = []
    for each in _matching(source):
        name = each.absolute.rpartition("/")[2]
        to = target.inside(name) if target.is_directory else target
        results.append(await _transfer(ctx, parsed, each, to))
    return all(results)


def _matching(source: _Place) -> list[_Place]:
    """A remote path may be a pattern, which the other side expands."""
    from fnmatch import fnmatchcase

    directory, _, pattern = source.absolute.rpartition("/")
    if not source.host or not any(sign in pattern for sign in "*?["):
        return [source]
    above = _Place(source.tree, directory or "/", "/", source.host)
    try:
        names = [name for name, _ in source.tree.entries(above.absolute) if fnmatchcase(name, pattern)]
    except FileError:
        names = []
    return [above.inside(name) for name in names] or [source]


async def _transfer(ctx: Context, parsed: Parsed, source: _Place, target: _Place) -> bool:
    try:
        stat = source.tree.stat(source.absolute)
        if stat.kind is FileKind.DIRECTORY:
            return await _directory(ctx, parsed, source, target)
        content = source.tree.read(source.absolute)
    except FileError as error:
        shown = "local " if not source.host else "remote "
        ctx.error(f'scp: open {shown}"{source.path}": {error.text}' if error.code is not ErrorCode.NOT_FOUND
                  else f"scp: {'' if source.host else 'stat local '}{_named(source)}: {error.text}")  # fmt: skip
        return False
    try:
        target.tree.write(target.absolute, content)
        target.tree.set_mode(target.absolute, stat.mode & (0o7777 if "p" in parsed else 0o777 & ~target.tree.umask))
        if "p" in parsed:
            target.tree.set_modified(target.absolute, stat.modified)
    except FileError as error:
        what = f'dest open "{target.path}"' if target.host else f'open local "{target.path}"'
        ctx.error(f"scp: {what}: {error.text}")
        return False
    await _progress(ctx, parsed, source, len(content))
    return True


def _named(place: _Place) -> str:
    return place.path if place.host else f'"{place.path}"'


async def _directory(ctx: Context, parsed: Parsed, source: _Place, target: _Place) -> bool:
    if "r" not in parsed:
        kind = "download " if source.host else "local "
        ctx.error(
            f'scp: {kind}"{source.path}": not a regular file'
            if not source.host
            else f"scp: {source.path}: not a regular file"
        )
        return False
    if not _exists(target):
        target.tree.make_directory(target.absolute, False)
    names = [name for name, _ in source.tree.entries(source.absolute)]
    results = [await _transfer(ctx, parsed, source.inside(name), target.inside(name)) for name in names]
    return all(results)


async def _progress(ctx: Context, parsed: Parsed, source: _Place, size: int) -> None:
    await ctx.sleep(size * SECOND // _BYTES_PER_SECOND)
    if ctx.terminal is None or "q" in parsed:
        return
    name = source.absolute.rpartition("/")[2]
    rate = human(min(max(size, 1) * 50, _BYTES_PER_SECOND)) + "B/s"
    figures = f"100% {size if size < 10_000 else human(size) + 'B':>5}   {rate:>9}   00:00    "
    width = max(10, ctx.terminal.columns - len(figures))
    ctx.line(f"{name[:width]:<{width}}{figures}")


COMMAND = Command(
    "scp",
    "copy files between hosts",
    run,
    SYNOPSIS,
    tuple(option for option in OPTIONS if option.help),
    """A path on another host is written [USER@]HOST:PATH, relative to the home directory there. /home and /data are
shared anyway.""",
)

"""Paths as a command is given them: relative to where it runs, and what lies there, links followed or not."""

from __future__ import annotations

from typing import cast

from engine.commands.context import Context
from engine.control.accounts import group_name, user_name
from engine.control.files import normal
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import ErrorCode, FileError, FileKind, Stat


def tree(ctx: Context) -> HostTree:
    """The host's file tree with all that it offers (lstat, owners, times)."""
    return cast(HostTree, ctx.files)


def absolute(ctx: Context, path: str) -> str:
    """`path` made absolute and normal."""
    return normal(path if path.startswith("/") else f"{ctx.directory}/{path}")


def look(ctx: Context, path: str, *, follow: bool = True) -> Stat:
    """Metadata of `path` as typed; `x/` must be a directory. Raises FileError with the path as typed."""
    if path == "":
        raise FileError(ErrorCode.NOT_FOUND, path)
    directory_meant = path.endswith("/")
    place = absolute(ctx, path)
    found = tree(ctx).stat(place) if follow or directory_meant else tree(ctx).lstat(place)
    if directory_meant and found.kind is not FileKind.DIRECTORY:
        raise FileError(ErrorCode.NOT_DIRECTORY, path)
    return found


def read(ctx: Context, path: str) -> bytes:
    """The content of `path` as typed. Raises FileError."""
    if path.endswith("/") or path == "":
        look(ctx, path)
    place = absolute(ctx, path)
    if tree(ctx).stat(place).kind is FileKind.DIRECTORY:
        raise FileError(ErrorCode.IS_DIRECTORY, path)
    return tree(ctx).read(place)


def read_or(ctx: Context, path: str, default: str = "") -> str:
    """The text of a file of the system, or `default` where it is missing or unreadable."""
    try:
        return tree(ctx).read(path).decode("utf-8", "replace")
    except FileError:
        return default


def owner(ctx: Context, stat: Stat) -> str:
    """The owner's name, or the number."""
    return user_name(ctx.inventory, stat.uid)


def group(ctx: Context, stat: Stat) -> str:
    """The group's name, or the number."""
    return group_name(ctx.inventory, stat.gid)


def join(directory: str, name: str) -> str:
    """`directory/name` as tools print it."""
    return f"{directory}{name}" if directory.endswith("/") else f"{directory}/{name}"


_KINDS = {FileKind.FILE: 0o100000, FileKind.DIRECTORY: 0o040000, FileKind.SYMLINK: 0o120000,
          FileKind.CHARACTER_DEVICE: 0o020000, FileKind.BLOCK_DEVICE: 0o060000}  # fmt: skip


def full_mode(stat: Stat) -> int:
    """st_mode, with the bits of the file type."""
    return _KINDS[stat.kind] | stat.mode & 0o7777


def mode_text(stat: Stat) -> str:
    """`drwxr-xr-x`."""
    text = ""
    for shift, special, letter in ((6, 0o4000, "s"), (3, 0o2000, "s"), (0, 0o1000, "t")):
        bits = stat.mode >> shift & 7
        last = "x" if bits & 1 else "-"
        if stat.mode & special:
            last = letter if bits & 1 else letter.upper()
        text += ("r" if bits & 4 else "-") + ("w" if bits & 2 else "-") + last
    return stat.kind.value + text


def blocks(stat: Stat) -> int:
    """Space on disk in KiB: whole pages of regular files and directories; what the kernel makes up takes none."""
    if stat.kind not in (FileKind.FILE, FileKind.DIRECTORY):
        return 0
    return -(-stat.size // 4096) * 4

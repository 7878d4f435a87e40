"""umount of util-linux 2.39.3: says why a file system can't be unmounted; unmounting itself is not modelled.

Texts compared with util-linux 2.38.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import open_files, paths, tasks
from engine.commands.linux._support.gnu import refuse
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.options import Option, Parsed
from engine.hostfs.machine import Machine
from engine.hostfs.mounts import Mount, mounts
from engine.hostfs.tree import FileError

_FAILED = 32
_ALWAYS_BUSY = ("/", "/proc", "/sys", "/dev", "/run", "/dev/pts", "/sys/fs/cgroup")


def run(ctx: Context, parsed: Parsed) -> int:
    """Look at every operand. Status 32 if one can't be unmounted."""
    if "all" in parsed and ctx.is_root:
        return ctx.not_modelled("umount --all")
    if not parsed.operands and "all" not in parsed:
        raise refuse(ctx, "bad usage")
    mounted = mounts(Machine(ctx.simulation, ctx.host))
    names = [each.target for each in reversed(mounted)] if "all" in parsed else parsed.operands
    return max(_unmount(ctx, parsed, name, mounted) for name in names)


def _unmount(ctx: Context, parsed: Parsed, name: str, mounted: list[Mount]) -> int:
    try:
        place = paths.tree(ctx).real_path(paths.absolute(ctx, name))
        paths.look(ctx, name)
    except FileError:
        return _fail(ctx, parsed, name, "no mount point specified.")
    found = next((each for each in reversed(mounted) if place in (each.target, each.source)), None)
    if found is None:
        return _fail(ctx, parsed, name, "not mounted.")
    if not ctx.is_root:
        return _fail(ctx, parsed, name, "must be superuser to unmount.")
    if "lazy" not in parsed and _busy(ctx, found.target, mounted):
        return _fail(ctx, parsed, name, "target is busy.")
    return ctx.not_modelled("unmounting file systems")


def _busy(ctx: Context, target: str, mounted: list[Mount]) -> bool:
    """Whether something works in it: the system, another file system, this shell, or a process."""
    if target in _ALWAYS_BUSY or any(each.target.startswith(f"{target}/") for each in mounted):
        return True
    if open_files.below(ctx.directory, target):
        return True
    opened = (each.path for process in tasks.tasks(ctx) for each in open_files.open_files(ctx, process))
    return any(open_files.below(path, target) for path in opened)


def _fail(ctx: Context, parsed: Parsed, name: str, text: str) -> int:
    if "quiet" not in parsed:
        ctx.error(f"umount: {name}: {text}")
    return _FAILED


COMMAND = program(
    "umount",
    "unmount file systems",
    run,
    suite=UTIL_LINUX,
    section=8,
    synopsis="umount [OPTION]... DIRECTORY|DEVICE...",
    options=(
        Option("a", "all", help="everything"),
        Option("f", "force", help="even if a network file system does not answer"),
        Option("l", "lazy", help="now from the tree, later for those who work in it"),
        Option("n", "no-mtab", help="ignored"),
        Option("q", "quiet", help="no complaints about what is not mounted"),
        Option("R", "recursive", help="with what is mounted below"),
        Option("t", "types", "LIST", help="with -a, only these kinds"),
        Option("v", "verbose", help="say what is done"),
    ),
    manual="A file system in which a process has its current directory or an open file is busy; fuser -vm shows who.",
)

"""mount of util-linux 2.39.3: shows what is mounted. Texts compared with util-linux 2.38. Mounting is not modelled."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.gnu import refuse
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.options import Option, Parsed, UsageError
from engine.hostfs.machine import Machine
from engine.hostfs.mounts import Mount, mounts

_FAILED = 32
_MORE = "       dmesg(1) may have more information after failed mount system call."


def run(ctx: Context, parsed: Parsed) -> int:
    """Show the mounts, or refuse a mount as the real one does."""
    mounted = mounts(Machine(ctx.simulation, ctx.host))
    if not parsed.operands and not any(key in parsed for key in ("all", "source", "target")):
        for each in mounted:
            if _of_kind(each, parsed["types"]):
                ctx.line(f"{each.source} on {each.target} type {each.kind} ({each.options})")
        return 0
    if "all" in parsed:
        return 0 if not ctx.is_root or _all_mounted(ctx, mounted) else ctx.not_modelled("mount --all")
    if len(parsed.operands) > 2:
        raise refuse(ctx, "bad usage")
    return _mount(ctx, parsed, mounted)


def _of_kind(each: Mount, kinds: str | None) -> bool:
    if not kinds:
        return True
    names = kinds.split(",")
    denied = names[0].startswith("no")
    return (each.kind in [name.removeprefix("no") for name in names]) != denied if denied else each.kind in names


def _fstab(ctx: Context) -> list[tuple[str, str]]:
    """(source, target) of the lines of /etc/fstab."""
    lines = [line.split() for line in paths.read_or(ctx, "/etc/fstab").splitlines()]
    return [(words[0], words[1]) for words in lines if len(words) > 2 and not words[0].startswith("#")]


def _all_mounted(ctx: Context, mounted: list[Mount]) -> bool:
    return {target for _, target in _fstab(ctx)} <= {each.target for each in mounted}


def _mount(ctx: Context, parsed: Parsed, mounted: list[Mount]) -> int:
    words = [parsed[key] for key in ("source", "target") if key in parsed] + parsed.operands
    target = words[-1].rstrip("/") or "/"
    if len(words) == 1 and "remount" not in (parsed["options"] or ""):
        entry = next((pair for pair in _fstab(ctx) if target in pair), None)
        if entry is None:
            raise UsageError(f"mount: {words[0]}: can't find in /etc/fstab.\n")
        target = entry[1]
    if not ctx.is_root:
        return _fail(ctx, target, "must be superuser to use mount.")
    if not ctx.files.exists(paths.absolute(ctx, target)):
        return _fail(ctx, target, "mount point does not exist.")
    source = words[0]
    if len(words) == 2 and source.startswith("/dev/") and not ctx.files.exists(source):
        return _fail(ctx, target, f"special device {source} does not exist.")
    there = next((each for each in mounted if each.target == target), None)
    if there and (len(words) == 1 or there.source == source) and "remount" not in (parsed["options"] or ""):
        return _fail(ctx, target, f"{there.source} already mounted on {target}.")
    return ctx.not_modelled("mounting file systems")


def _fail(ctx: Context, target: str, text: str) -> int:
    ctx.error(f"mount: {target}: {text}\n{_MORE}")
    return _FAILED


COMMAND = program(
    "mount",
    "show and mount file systems",
    run,
    suite=UTIL_LINUX,
    section=8,
    synopsis="mount [-l] [-t TYPE] | mount [OPTION]... SOURCE|DIRECTORY",
    options=(
        Option("a", "all", help="everything in /etc/fstab"),
        Option("B", "bind", help="a directory in another place"),
        Option("f", "fake", help="do everything but mount"),
        Option("l", "show-labels", help="show labels too"),
        Option("n", "no-mtab", help="ignored"),
        Option("o", "options", "LIST", help="mount options"),
        Option("r", "read-only", help="for reading only"),
        Option(None, "source", "SOURCE", help="what to mount"),
        Option(None, "target", "DIRECTORY", help="where to mount it"),
        Option("t", "types", "LIST", help="kinds of file systems"),
        Option("v", "verbose", help="say what is done"),
        Option("w", "rw", help="for reading and writing"),
    ),
    manual="Without arguments: shows what is mounted, as /proc/mounts has it. findmnt shows the same as a tree.",
)

"""enroot 3.5: containers without a daemon, as the user who starts them. Texts after its sources (enroot.in,
src/runtime.sh, src/docker.sh).
"""

from __future__ import annotations

import inspect as reflection
from collections.abc import Awaitable, Callable, Mapping
from hashlib import sha256

from engine.commands._containers import enroot as work
from engine.commands._containers import inside as places
from engine.commands._containers.enroot import EnrootError
from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.options import Option, Parsed, parse
from engine.control import kernel_image, processes
from engine.control.containers import enroot, images, lifecycle
from engine.hostfs.tree import FileError
from engine.world.records import Container

Verb = Callable[[Context, Parsed], int | Awaitable[int]]
VERSION = "3.5.0"
_NAMESPACE = 4_026_532_000
_NOT_MODELLED = ("batch", "bundle", "digest", "export", "load", "info")


async def run(ctx: Context) -> int:
    """Do what the verb says."""
    words = list(ctx.arguments)
    if words[:1] == ["version"]:
        ctx.line(VERSION)
        return 0
    if words and words[0] in _NOT_MODELLED:
        return ctx.not_modelled(f"enroot {words[0]}")
    if not words or words[0] not in _VERBS:
        (ctx.write if words[:1] == ["help"] else ctx.error)(_USAGE.rstrip("\n") if words[:1] != ["help"] else _USAGE)
        return 0 if words[:1] == ["help"] else 1
    verb, options, least, usage = _VERBS[words[0]]
    help_option = Option("h", "help")
    parsed = parse("enroot", (*options, help_option), words[1:], permute=False, trailer=usage)
    if "help" in parsed or len(parsed.operands) < least:
        ctx.write(f"{usage}\n")
        return 0 if "help" in parsed else 1
    try:
        result = verb(ctx, parsed)
        return await result if reflection.isawaitable(result) else result
    except (EnrootError, enroot.HookFailed) as why:
        ctx.error(str(why))
        return 1


def _fail(text: str) -> EnrootError:
    return EnrootError(f"[ERROR] {text}")


async def _import(ctx: Context, parsed: Parsed) -> int:
    uri = parsed.operands[0]
    if uri.startswith(("dockerd://", "podman://")):
        return ctx.not_modelled(f"enroot import {uri.partition('/')[0]}//")
    wanted = work.source(uri)
    tag = f"+{wanted.tag}" if wanted.tag else ""
    path = paths.absolute(ctx, parsed["output"] or f"{wanted.name.replace('/', '+')}{tag}.sqsh")
    if paths.tree(ctx).exists(path):
        raise _fail(f"File already exists: {path}")
    image = await work.fetch(ctx, uri, lambda text: _say(ctx, text))
    _say(ctx, "[INFO] Creating squashfs filesystem...")
    try:
        paths.tree(ctx).write(path, work.file_of(image))
    except FileError as error:
        ctx.error(f"FATAL ERROR: Could not create destination file: {error.text}")
        return 1
    ctx.error(f"Parallel mksquashfs: Using {kernel_image.cpus(ctx.node)} processors")
    ctx.error(f"Creating 4.0 filesystem on {path}, block size 131072.")
    return 0


def _say(ctx: Context, text: str) -> None:
    """A line of the log; on a terminal what works for a while has an empty line after it."""
    ctx.error(text + ("\n" if text.endswith("...") and ctx.terminal is not None else ""))


async def _create(ctx: Context, parsed: Parsed) -> int:
    path = paths.absolute(ctx, parsed.operands[0])
    try:
        image = work.image_in(paths.tree(ctx), path)
    except FileError:
        raise _fail(f"No such file or directory: {path}") from None
    if image is None:
        raise _fail(f"Invalid image format: {path}")
    name = parsed["name"] or path.rpartition("/")[2].removesuffix(".sqsh")
    if "/" in name:
        raise _fail(f"Invalid argument: {name}")
    other = work.find(ctx, ctx.place, name)
    if other is not None:
        if "force" not in parsed:
            raise _fail(f"File already exists: {_rootfs(ctx, name)}")
        ctx.simulation.apply(lifecycle.Remove(ctx.host, other.id))
    _say(ctx, "[INFO] Extracting squashfs filesystem...")
    await work.create(ctx, ctx.place, name, image)
    return 0


def _rootfs(ctx: Context, name: str) -> str:
    return f"{work.settings(ctx, ctx.place).data_path}/{name}"


async def _start(ctx: Context, parsed: Parsed) -> int:
    name, *command = parsed.operands
    for option in ("conf", "rc", "net", "pid", "ipc", "uts"):
        if option in parsed:
            return ctx.not_modelled(f"enroot start --{option}")
    each, temporary = await _to_start(ctx, name)
    mounts = tuple(work.mount(text) for text in parsed.all("mount"))
    for place in mounts:
        if work.cannot_mount(place):
            return ctx.not_modelled(f"enroot start -m {place[0]}:{place[1]}: only shared folders, at the same place")
    image = images.registry()[each.image]
    words = tuple(command) or image.command or image.entrypoint
    remap = True if "root" in parsed else None
    how = work.Start(_variables(ctx, parsed.all("env")), mounts, None, remap, words)
    status = 1
    try:
        inner = await work.start(ctx, ctx.place, each, how)
        await ctx.flush()
        if not places.has(ctx.world, inner, words[0]):
            ctx.error(f"enroot-switchroot: failed to execute: {words[0]}: No such file or directory")
            status = 127
        elif words in (("/bin/bash",), ("bash",), ("sh",), ("/bin/sh",)) and ctx.logins is not None:
            status = await ctx.logins.login(inner)
        else:
            status = await places.run(ctx, inner, words)
    finally:
        work.end(ctx, ctx.host, each.id, status, remove=temporary)
    return status


async def _to_start(ctx: Context, name: str) -> tuple[Container, bool]:
    """The file system of a name, or one that is made for this start of an image's file. Raises EnrootError."""
    path = paths.absolute(ctx, name)
    if "/" in name or name.endswith(".sqsh"):
        try:
            image = work.image_in(paths.tree(ctx), path)
        except FileError:
            image = None
        if image is not None:
            return await work.create(ctx, ctx.place, path.rpartition("/")[2], image), True
        if "/" in name:
            raise _fail(f"Invalid argument: {name}")
    each = work.find(ctx, ctx.place, name)
    if each is None:
        raise _fail(f"No such file or directory: {_rootfs(ctx, name)}")
    return each, False


def _variables(ctx: Context, texts: list[str]) -> Mapping[str, str]:
    """The variables of -e; a name alone takes the caller's."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name.isidentifier():
            raise _fail(f"Invalid argument: {text}")
        found[name] = value if equals else ctx.environment.get(name, "")
    return found


def _list(ctx: Context, parsed: Parsed) -> int:
    there = [each for each in lifecycle.containers(ctx.world, ctx.host, "enroot") if each.owner == ctx.identity.name]
    there.sort(key=lambda each: each.name)
    if "fancy" not in parsed:
        for each in there:
            ctx.line(each.name)
        return 0
    rows = [["NAME", "PID", "COMM", "STATE", "STARTED", "TIME", "MNTNS", "USERNS", "COMMAND"]]
    rows += [_row(ctx, each) for each in there]
    widths = [max(len(row[place]) for row in rows if place < len(row)) for place in range(9)]
    for row in rows:
        cells = [cell.ljust(widths[place]) for place, cell in enumerate(row)]
        ctx.line("  ".join(cells).rstrip())
    return 0


def _row(ctx: Context, each: Container) -> list[str]:
    process = processes.find(ctx.world, ctx.host, each.pid) if each.pid else None
    if each.status != "running" or process is None:
        return [each.name]
    from engine.commands.linux._support import clock

    seconds = (ctx.now - each.started) // 1_000_000_000
    spent = f"{seconds // 60:02}:{seconds % 60:02}"
    started = clock.shown(ctx, ctx.inventory.start + each.started, "%H:%M")
    first = _NAMESPACE + int(sha256(each.id.encode()).hexdigest()[:3], 16)
    comm = process.command.split()[0].rpartition("/")[2] if process.command else ""
    return [each.name, str(each.pid), comm, "Sl", started, spent, str(first + 1), str(first), process.command]


async def _remove(ctx: Context, parsed: Parsed) -> int:
    for name in parsed.operands:
        if "/" in name:
            raise _fail(f"Invalid argument: {name}")
        each = work.find(ctx, ctx.place, name)
        if each is None:
            raise _fail(f"No such file or directory: {_rootfs(ctx, name)}")
        question = f"Do you really want to delete {_rootfs(ctx, name)}? [y/N] "
        if "force" not in parsed:
            answer = await ctx.terminal.ask(question) if ctx.terminal is not None else None
            if answer is None or answer.strip() not in ("y", "Y"):
                continue
        ctx.simulation.apply(lifecycle.Remove(ctx.host, each.id))
    return 0


async def _exec(ctx: Context, parsed: Parsed) -> int:
    pid, *command = parsed.operands
    there = lifecycle.containers(ctx.world, ctx.host, "enroot")
    each = next((one for one in there if str(one.pid) == pid and (one.owner == ctx.identity.name or ctx.is_root)), None)
    if each is None:
        raise _fail(f"Process not found: {pid}")
    inner = work.inside(ctx, ctx.place, each.id)
    if not places.has(ctx.world, inner, command[0]):
        ctx.error(f"enroot-nsenter: failed to execute: {command[0]}: No such file or directory")
        return 127
    await ctx.flush()
    return await places.run(ctx, inner, command)


_FORCE = Option("f", "force", help="without asking")
_VERBS: dict[str, tuple[Verb, tuple[Option, ...], int, str]] = {
    "import": (
        _import, (Option("a", "arch", "ARCH"), Option("o", "output", "FILE")), 1,
        "Usage: enroot import [options] [--] URI",
    ),
    "create": (_create, (_FORCE, Option("n", "name", "NAME")), 1, "Usage: enroot create [options] [--] IMAGE"),
    "start": (
        _start,
        (
            Option("c", "conf", "CONFIG"), Option("e", "env", "KEY"), Option("m", "mount", "FSTAB"),
            Option("r", "root"), Option("w", "rw"), Option(long="rc", argument="SCRIPT"), Option(long="net"),
            Option(long="pid"), Option(long="ipc"), Option(long="uts"),
        ),
        1,
        "Usage: enroot start [options] [--] NAME|IMAGE [COMMAND] [ARG...]",
    ),
    "list": (_list, (Option("f", "fancy"),), 0, "Usage: enroot list [options]"),
    "remove": (_remove, (_FORCE,), 1, "Usage: enroot remove [options] [--] NAME..."),
    "exec": (_exec, (Option("e", "env", "KEY"),), 2, "Usage: enroot exec [options] [--] PID COMMAND [ARG...]"),
}  # fmt: skip
_USAGE = """Usage: enroot COMMAND [ARG...]

Command line utility for manipulating container sandboxes.

 Commands:
   batch  [options] [--] CONFIG [COMMAND] [ARG...]
   bundle [options] [--] IMAGE
   create [options] [--] IMAGE
   digest [options] [--] URI
   exec   [options] [--] PID COMMAND [ARG...]
   export [options] [--] NAME
   import [options] [--] URI
   list   [options]
   load   [options] [--] URI
   remove [options] [--] NAME...
   start  [options] [--] NAME|IMAGE [COMMAND] [ARG...]
   version
"""
COMMAND = Command(
    "enroot",
    "containers without a daemon",
    run,
    "enroot COMMAND [ARG...]",
    (),
    """enroot import docker://nvcr.io#nvidia/pytorch:24.10-py3 brings an image into a file (the registry stands before a
`#`), enroot create makes a file system of the file, enroot start NAME COMMAND runs something in it. GPUs come with
NVIDIA_VISIBLE_DEVICES, which NGC's images set and ubuntu does not; /etc/enroot/enroot.conf tells the rest.""",
)

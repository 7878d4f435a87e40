"""pyxis (0.20), Slurm's plugin for containers of enroot: its options of srun, and what it does on a node before the
first task of a step and after the last.

Source: NVIDIA/pyxis args.c (options, refusals) and pyxis_slurmstepd.c (what it prints; the container of a step is
pyxis_JOB.STEP, one with a name pyxis_NAME), NVIDIA/pyxis#61 and #144 for the order of lines of a start that fails.
Variables of the image go before those of the task, but for those of --container-env. The container of a step without
--container-name goes when the step is over. Not modelled: --container-save, --container-unshare, options of sbatch.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from engine.commands._containers import enroot as work
from engine.commands.context import Context, Output, Place
from engine.commands.options import Parsed, UsageError
from engine.control.containers import enroot
from engine.control.containers.images import Image
from engine.control.containers.inside import of_id
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import FileError
from engine.world.records import Container

OPTIONS = """\
container-image= container-mounts= container-workdir= container-name= container-mount-home no-container-mount-home
container-remap-root no-container-remap-root container-entrypoint no-container-entrypoint container-entrypoint-log
container-writable container-readonly container-env="""
GAPS = "container-save= container-unshare="
_FLAGS = ("auto", "create", "exec", "no_exec")
_SWITCHES = (
    ("mount_home", "container-mount-home", "--container-mount-home and --no-container-mount-home"),
    ("remap_root", "container-remap-root", "--container-remap-root and --no-container-remap-root"),
    ("entrypoint", "container-entrypoint", "--container-entrypoint and --no-container-entrypoint"),
)
_START_FAILED = 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the options of a step ask for."""

    image: str = ""
    mounts: tuple[tuple[str, str, str], ...] = ()
    directory: str = ""
    name: str = ""
    flag: str = "auto"
    mount_home: bool | None = None
    remap_root: bool | None = None
    kept: tuple[str, ...] = ()


class Refused(Exception):
    """The plugin ends a task before it begins; the lines are without slurmstepd's mark. `early` says that it found out
    before it did anything.
    """

    def __init__(self, *lines: str, early: bool = False) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines if early else (*lines, "pyxis: couldn't start container")


def wanted(parsed: Parsed) -> Wanted | None:
    """The container that srun's options ask for, or None. Raises UsageError as the plugin refuses a value."""
    given = {name: parsed[f"container_{name}"] or "" for name in ("image", "mounts", "workdir", "name", "env")}
    switches = {name: _switch(parsed, name, option, both) for name, option, both in _SWITCHES}
    name, _, flag = given["name"].partition(":")
    if flag and flag not in _FLAGS:
        words = '"auto", "create", "exec" or "no_exec"'
        raise _refusal(f"--container-name: flag must be {words}")
    if not given["image"] and not name:
        return None
    mounts = tuple(_mount(text) for text in given["mounts"].split(",")) if given["mounts"] else ()
    return Wanted(
        given["image"], mounts, given["workdir"], name, flag or "auto", switches["mount_home"], switches["remap_root"],
        tuple(given["env"].split(",")) if given["env"] else (),
    )  # fmt: skip


def ignored(parsed: Parsed) -> list[str]:
    """Options that do nothing, since there is no container (pyxis_args_enabled)."""
    if "container_image" in parsed or "container_name" in parsed:
        return []
    names = {"container_mounts": "container-mounts", "container_workdir": "container-workdir",
             "container_mount_home": "[no-]container-mount-home",
             "container_remap_root": "[no-]container-remap-root"}  # fmt: skip
    end = "because neither --container-image nor --container-name is set"
    return [f"srun: error: pyxis: ignoring --{text} {end}" for name, text in names.items() if name in parsed]


def _switch(parsed: Parsed, name: str, option: str, both: str) -> bool | None:
    key = option.replace("-", "_")
    yes, no = key in parsed, f"no_{key}" in parsed
    if yes and no:
        raise _refusal(f"both {both} were specified")
    return True if yes else False if no else None


def _mount(text: str) -> tuple[str, str, str]:
    source, colon, rest = text.partition(":")
    if not source or (colon and not rest.partition(":")[0]):
        raise _refusal(f"--container-mounts: invalid format: {text}")
    if not source.startswith((".", "/")) and source not in ("tmpfs", "umount"):
        words = 'mount source must be a relative path, an absolute path, "tmpfs" or "umount"'
        raise _refusal(words, f"could not add mount entry: {source}:{rest.partition(':')[0] or source}")
    return work.mount(text)


def _refusal(*lines: str) -> UsageError:
    return UsageError("".join(f"srun: error: pyxis: {line}\n" for line in lines), 255)


def gap(asked: Wanted) -> str | None:
    """A mount that the model lacks, or None."""
    lacking = next((each for each in asked.mounts if work.cannot_mount(each)), None)
    if lacking is None:
        return None
    return f"--container-mounts={lacking[0]}:{lacking[1]}: only shared folders, at the same place"


@dataclass(slots=True)
class Crew:
    """The containers of one step, one on each of its nodes; the first task of a node makes it."""

    asked: Wanted
    job: int
    step: int
    alone: bool
    there: dict[str, asyncio.Future[str]] = field(default_factory=dict)

    async def enter(self, ctx: Context, place: Place, err: Output) -> Place | None:
        """The place in the node's container for a task, or None: it cannot be entered, which was told."""
        node = place.host
        first = node not in self.there
        try:
            if first:
                self.there[node] = asyncio.get_running_loop().create_future()
                self.there[node].set_result(await self._made(ctx, place, err))
            identifier = await self._of(ctx, node)
        except Refused as why:
            if first:
                self.there[node].set_result("")
            for line in why.lines:
                err.write(f"slurmstepd: error: {line}\n".encode())
            self._ended(err)
            return None
        if not identifier:
            err.write(b"slurmstepd: error: pyxis: container was not started successfully by another task\n")
            self._ended(err)
            return None
        return self._place(ctx, place, identifier)

    async def _of(self, ctx: Context, node: str) -> str:
        future = self.there[node]
        await ctx.clock.until(future.done)
        return future.result()

    @staticmethod
    def _ended(err: Output) -> None:
        err.write(b"slurmstepd: error: spank: required plugin spank_pyxis.so: task_init() failed with rc=-1\n")
        err.write(b"slurmstepd: error: Failed to invoke spank plugin stack\n")

    def _place(self, ctx: Context, place: Place, identifier: str) -> Place:
        inner, outside = work.inside(ctx, place, identifier), place.environment
        kept = {name: outside[name] for name in self.asked.kept if name in outside}
        environment = {**outside, **inner.environment, **kept}
        return replace(inner, environment=environment, directory=self.asked.directory or inner.directory)

    async def _made(self, ctx: Context, place: Place, err: Output) -> str:
        """The id of the node's container, started. Raises Refused."""
        asked = self.asked
        name = f"pyxis_{asked.name}" if asked.name else f"pyxis_{self.job}.{self.step}"
        each = work.find(ctx, place, name) if asked.name else None
        running = each is not None and each.status == "running"
        if asked.flag == "create" and each is not None:
            text = '"create" flag was passed to --container-name but the container already exists'
            raise Refused(f"pyxis: error: {text}", early=True)
        if asked.flag == "exec" and not running:
            text = '"exec" flag was passed to --container-name but the container is not running'
            raise Refused(f"pyxis: error: {text}", early=True)
        if each is None and not asked.image:
            text = f'a container with name "{name}" does not exist, and --container-image is not set'
            raise Refused(f"pyxis: error: {text}", early=True)
        if each is not None and running and asked.flag != "no_exec":
            return each.id
        if each is None:
            job = None if asked.name else self.job
            each = await work.create(ctx, place, name, await self._image(ctx, place, err), job)
        return await self._started(ctx, place, each)

    async def _started(self, ctx: Context, place: Place, each: Container) -> str:
        asked, tree = self.asked, HostTree(ctx.simulation, place.host, place.identity)
        for source, _, _ in asked.mounts:
            if source.startswith("/") and not tree.exists(source):
                raise Refused(f"pyxis: --container-mounts: source path does not exist: {source}")
        kept = {name: place.environment[name] for name in asked.kept if name in place.environment}
        how = work.Start(kept, asked.mounts, asked.mount_home, asked.remap_root, ("sh",))
        try:
            await work.start(ctx, place, each, how)
        except enroot.HookFailed as why:
            lines = [f"pyxis:     {line}" for line in str(why).splitlines()]
            failed = f"pyxis: container start failed with error code: {_START_FAILED}"
            raise Refused(failed, "pyxis: printing enroot log file:", *lines) from why
        return each.id

    async def _image(self, ctx: Context, place: Place, err: Output) -> Image:
        """The image: from a file of the node, or of a registry. Raises Refused."""
        text = self.asked.image
        if text.startswith((".", "/")):
            return self._from_file(ctx, place, text)
        if self.alone:
            err.write(f"pyxis: importing docker image: {text}\n".encode())
        said: list[str] = []
        try:
            image = await work.fetch(ctx, text if text.startswith("docker://") else f"docker://{text}", said.append)
        except work.EnrootError as why:
            lines = [f"pyxis:     {line}" for line in (*said, *str(why).splitlines())]
            child = f"pyxis: child {ctx.world.systems[place.host].next_pid} failed with error code: 1"
            failed = f"pyxis: failed to import docker image: {text}"
            raise Refused(child, failed, "pyxis: printing enroot log file:", *lines) from why
        err.write(f"pyxis: imported docker image: {text}\n".encode())
        return image

    @staticmethod
    def _from_file(ctx: Context, place: Place, text: str) -> Image:
        path = text if text.startswith("/") else f"{place.directory.rstrip('/')}/{text.removeprefix('./')}"
        try:
            image = work.image_in(HostTree(ctx.simulation, place.host, place.identity), path)
            why = "Invalid image format"
        except FileError:
            image, why = None, "No such file or directory"
        if image is not None:
            return image
        child = f"pyxis: child {ctx.world.systems[place.host].next_pid} failed with error code: 1"
        failed = f"pyxis: failed to create container filesystem for image: {text}"
        raise Refused(child, failed, "pyxis: printing enroot log file:", f"pyxis:     [ERROR] {why}: {path}")

    def leave(self, ctx: Context) -> None:
        """The step is over: containers stop; those without a name go."""
        for node, future in self.there.items():
            identifier = future.result() if future.done() and not future.cancelled() else ""
            each = of_id(ctx.world, node, identifier) if identifier else None
            if each is None:
                continue
            if each.status == "running":
                work.end(ctx, node, each.id, 0, remove=not self.asked.name)

"""A container as a place for commands: its tree, its programs, and a run in it.

An image has the programs of a small Ubuntu; the toolkit adds nvidia-smi with the driver's libraries where GPUs are
given; NGC's PyTorch image has nccl-tests and the verbs tools beside it. What asks for the processes, the kernel or the
network of the host is not modelled inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.commands.command import command_modules, commands_of
from engine.commands.context import Context, Output, Place
from engine.control import accounts
from engine.control.containers import images
from engine.control.containers import inside as laws
from engine.hostfs.container_tree import ContainerTree
from engine.hostfs.host_tree import HostTree
from engine.kernel.simulation import Simulation
from engine.world.records import Container
from engine.world.world import World

_SMALL = frozenset(
    {
        "arch", "chmod", "chown", "chgrp", "date", "find", "groups", "hostname", "id", "ls", "mktemp", "nproc", "rm",
        "sleep", "stat", "tail", "tee", "timeout", "touch", "tty", "uname", "users", "whoami", "zcat", "getent", "more",
        "uuidgen", "shuf", "df",
    }
)  # fmt: skip
_IN_PODS = frozenset({"nslookup"})
_DRIVER = frozenset({"nvidia-smi"})
_PYTORCH = frozenset(
    {
        "python3", "less", "nvbandwidth", "all_reduce_perf", "all_gather_perf", "reduce_scatter_perf", "alltoall_perf",
        "sendrecv_perf", "broadcast_perf", "ibstat", "ibv_devinfo", "ibv_devices", "ibstatus", "ib_write_bw", "numactl",
        "mpirun", "curl", "vim", "lspci",
    }
)  # fmt: skip


def tree(simulation: Simulation[World], place: Place) -> HostTree:
    """The root file system of the container that a place is in."""
    each = laws.of_id(simulation.world, place.host, place.container)
    assert each is not None
    return ContainerTree(simulation, place.host, place.identity, each, lambda: commands(simulation.world, place))


def commands(world: World, place: Place) -> Sequence[str]:
    """Names of our commands in the container that a place is in."""
    each = laws.of_id(world, place.host, place.container)
    if each is None or images.registry()[each.image].system == images.WITHOUT_SYSTEM:
        return ()
    wanted = set(_SMALL)
    if each.engine == "containerd":
        wanted |= _IN_PODS
    if laws.has_driver(each):
        wanted |= _DRIVER
    if images.registry()[each.image].kind == "pytorch":
        wanted |= _PYTORCH
    return [name for name in commands_of(world.inventory, place.host) if name in wanted]


def has(world: World, place: Place, name: str) -> bool:
    """Whether a container has a program: one of ours, or one that every shell has."""
    word, each = name.rpartition("/")[2], laws.of_id(world, place.host, place.container)
    if each is not None and images.registry()[each.image].system == images.WITHOUT_SYSTEM:
        return False
    return (
        word in commands(world, place) or (word not in command_modules() and "/" not in name) or word in ("bash", "sh")
    )


def place_in(ctx: Context, each: Container, variables: dict[str, str] | None = None, directory: str = "") -> Place:
    """The place of a program of a container."""
    image = images.registry()[each.image]
    environment = {**image.environment, "HOSTNAME": each.hostname, "HOME": "/root", **dict(each.environment)}
    where = directory or each.directory or image.directory
    who = accounts.identity(ctx.inventory, ctx.identity.name if each.engine == "enroot" else "root")
    return replace(
        ctx.place, identity=who, environment={**environment, **(variables or {})}, directory=where, login=False,
        container=each.id,
    )  # fmt: skip


async def run(
    ctx: Context, place: Place, words: Sequence[str], stdout: Output | None = None, stderr: Output | None = None
) -> int:
    """Run a program of a container. Returns its status; 127 and a line of runc's for one that is not there is the
    caller's part.
    """
    import shlex

    if list(words[:2]) in (["bash", "-c"], ["sh", "-c"], ["/bin/bash", "-c"], ["/bin/sh", "-c"], ["bash", "-lc"]):
        text = words[2] if len(words) > 2 else ""
    else:
        text = shlex.join(words)
    return await ctx.runner.script(text, place, stdout=stdout, stderr=stderr)

"""How full file systems are. What they hold follows from the inventory and the mounts; how much of it is used is a
guess that differs from host to host. The shared directories lie on the head node's root file system.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.context import Context
from engine.control.containers.inside import container
from engine.hostfs.machine import Machine
from engine.hostfs.mounts import Mount, inside, mounts, root_bytes
from engine.kernel.random import hash64
from engine.kernel.units import KIB

_BLOCK_PER_INODE = 16 * KIB
_RESERVED_PERCENT = 5


@dataclass(frozen=True, slots=True)
class Usage:
    """A mounted file system: sizes in KiB, inodes in all and in use."""

    mount: Mount
    total: int
    used: int
    available: int
    inodes: int
    inodes_used: int


def usages(ctx: Context) -> list[Usage]:
    """Every file system of the host, or of the container, in the order of mounting; those that hold nothing have a
    total of 0.
    """
    machine = Machine(ctx.simulation, ctx.host)
    each = container(ctx.world, ctx.host, ctx.environment)
    there = inside(machine, each) if each is not None and each.engine == "docker" else mounts(machine)
    return [_usage(ctx, machine, mount) for mount in there]


def _usage(ctx: Context, machine: Machine, mount: Mount) -> Usage:
    if mount.kind == "nfs4":
        server = Machine(ctx.simulation, machine.head)
        root = next(each for each in mounts(server) if each.target == "/")
        on_server = _usage(ctx, server, root)
        return Usage(
            mount, on_server.total, on_server.used, on_server.available, on_server.inodes, on_server.inodes_used
        )
    total = mount.size // KIB
    draw = hash64(ctx.world.seed, machine.host, mount.target, "disk use")
    if mount.kind in ("ext4", "overlay"):
        on_root = mount.size == root_bytes(machine)
        draw = hash64(ctx.world.seed, machine.host, "/", "disk use") if on_root else draw
        share = 90 + draw % 130 if on_root else 40 + draw % 300
        used = total * share // 1000
        inodes = mount.size // _BLOCK_PER_INODE
        reserved = total * _RESERVED_PERCENT // 100
        return Usage(mount, total, used, total - used - reserved, inodes, 200_000 + draw % 400_000)
    used = {"/run": 4_000 + draw % 3_000, "/boot/efi": 6_220, "/dev/shm": 0}.get(mount.target, 0) if total else 0
    inodes = 0 if mount.kind == "vfat" else ctx.node.memory_bytes // (4 * KIB) if total else 0
    return Usage(mount, total, used, total - used, inodes, 1_200 + draw % 900 if inodes else 0)


def containing(found: list[Usage], path: str) -> Usage:
    """The file system that a path lies on."""
    inside = [each for each in found if _below(path, each.mount.target)]
    return max(inside, key=lambda each: len(each.mount.target))


def _below(path: str, target: str) -> bool:
    return target in ("/", path) or path.startswith(f"{target}/")

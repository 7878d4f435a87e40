"""What a program in a container may reach: GPUs, RDMA devices, locked memory.

A program's container is named in its environment under a key that no shell shows (see the package). Law of the device
cgroup: a device that was not passed, or that the cgroup does not allow any more, answers `Operation not permitted`;
what is open already stays open.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.control.containers import CONTAINER
from engine.physics.load import bound_gpus
from engine.world.records import Container
from engine.world.world import World

INFINIBAND = "/dev/infiniband"
_LOCKS_AT_WILL = ("IPC_LOCK", "CAP_IPC_LOCK", "ALL")


def container(world: World, host: str, environment: Mapping[str, str]) -> Container | None:
    """The container that a program with this environment is in, or None: it is on the host itself."""
    name = environment.get(CONTAINER)
    return of_id(world, host, name) if name else None


def of_id(world: World, host: str, identifier: str) -> Container | None:
    """The container of a host with this id, or None."""
    return next((each for each in world.container_hosts[host].containers if each.id == identifier), None)


def gpu_indices(world: World, host: str, each: Container) -> tuple[int, ...]:
    """nvidia-smi's indices on the host of the GPUs that a container may open."""
    if each.privileged:
        return tuple(range(len(bound_gpus(world, host))))
    if not each.access:
        return ()
    return tuple(index for index, gpu in enumerate(bound_gpus(world, host)) if gpu.id in each.gpus)


def loses_driver(each: Container) -> bool:
    """Whether GPUs were given to a container, and its device cgroup forbids them now."""
    return bool(each.gpus) and not each.access and not each.privileged


def has_driver(each: Container) -> bool:
    """Whether the driver's libraries and tools were put into a container."""
    return bool(each.gpus) or each.driver


def passes(each: Container, path: str) -> bool:
    """Whether a device file of the host, or the folder that it lies in, was passed to a container."""
    return each.privileged or any(path == given or path.startswith(f"{given}/") for given in each.devices)


def sees_infiniband(world: World, host: str, environment: Mapping[str, str]) -> bool:
    """Whether a program may open RDMA devices."""
    found = container(world, host, environment)
    if found is None:
        return True
    return passes(found, INFINIBAND) or any(given.startswith(INFINIBAND) for given in found.devices)


def memory_lock(each: Container) -> int | None:
    """KiB that programs of a container may lock (None: no limit); root needs the capability as well."""
    able = each.privileged or any(name in _LOCKS_AT_WILL for name in each.capabilities)
    return None if able else each.memory_lock

"""Which units a host has and how they run, as systemd keeps it. Looking only; engine.control.systemd acts.

A unit that nothing has happened to since the boot has no record: it came up at its usual moment with a process id that
follows from host and boot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from engine.control import kernel_image
from engine.control.units import Unit, all_units, full_name
from engine.kernel.random import hash64
from engine.kernel.units import MILLISECOND
from engine.world.inventory import Node
from engine.world.records import BootPhase, Service
from engine.world.world import World


def units(world: World, host: str) -> list[str]:
    """Names of the host's units, in the order in which they come up."""
    return [unit.name for unit in units_of(world.node(host))]


def units_of(node: Node) -> list[Unit]:
    """The units of a node, in the order in which they come up."""
    return [unit for unit in all_units().values() if unit.on(node)]


def find(world: World, host: str, name: str) -> Unit | None:
    """The host's unit of that name (`slurmd` or `slurmd.service`), or None."""
    unit = all_units().get(full_name(name))
    return unit if unit and unit.on(world.node(host)) else None


def service(world: World, host: str, name: str) -> Service:
    """How a unit runs. One that the host does not have is inactive and not enabled."""
    unit = find(world, host, name)
    if unit is None:
        return Service(active=False, enabled=False)
    if world.nodes[host].phase is not BootPhase.RUNNING:
        return Service(active=False, enabled=is_enabled(world, host, unit))
    return world.systems[host].services.get(unit.name) or usual(world, host, unit)


def is_active(world: World, host: str, name: str) -> bool:
    """Whether a unit runs."""
    return service(world, host, name).active


def is_enabled(world: World, host: str, unit: Unit) -> bool:
    """Whether a unit starts at boot."""
    stored = world.systems[host].services.get(unit.name)
    return stored.enabled if stored else unit.enabled_on(world.node(host))


def usual(world: World, host: str, unit: Unit) -> Service:
    """How a unit runs after a boot in which nothing went wrong."""
    start = world.nodes[host].booted_at
    enabled = unit.enabled_on(world.node(host))
    if not (enabled or unit.static) or not unit.ready_at:
        return Service(active=False, enabled=enabled)
    return Service(
        active=True,
        enabled=enabled,
        since=start + unit.ready_at * MILLISECOND,
        pid=first_pid(world, host, unit, start),
    )


def first_pid(world: World, host: str, unit: Unit, boot: int) -> int:
    """The process id of a unit's main process when it was started during the boot at `boot`; 0 for units without a
    process.
    """
    if not unit.runs_process:
        return 0
    first, position = kernel_image.first_user_pid(world.node(host)), list(all_units()).index(unit.name)
    if unit.name == "systemd-journald.service":
        return first
    return first + position * 41 + hash64(world.seed, host, unit.name, boot) % 37


def passing_pid(world: World, host: str, unit: Unit) -> int:
    """The process id of a program that ends at once, such as a oneshot unit's, in the boot that runs."""
    boot = world.nodes[host].booted_at
    return kernel_image.first_user_pid(world.node(host)) + hash64(world.seed, host, unit.name, boot, "passing") % 900


def put_all(world: World, host: str, services: Mapping[str, Service]) -> None:
    """Write how all units run that differ from the usual."""
    world.systems.update(host, services=MappingProxyType(dict(services)))


def put(world: World, host: str, unit: Unit, state: Service) -> None:
    """Write how a unit runs."""
    services = world.systems[host].services
    world.systems.update(host, services=MappingProxyType({**services, unit.name: state}))


def change(world: World, host: str, unit: Unit, **fields: object) -> Service:
    """Replace fields of a unit's state. Returns the new one."""
    state: Service = replace(service(world, host, unit.name), **fields)  # type: ignore[arg-type]
    put(world, host, unit, state)
    return state

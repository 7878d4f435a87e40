"""DCGM's health watches: which systems of a group are watched, and what a check finds.

Law: modules/health/DcgmHealthWatch.cpp of DCGM 4.4.2. Looked at are the last 60 s, but nothing before the watch was
set: clocks held back by heat or by the power limit (warning), any volatile double-bit error and a failed row remapping
(failure), a link that is down (failure), Xids since the first watch (some always, as failures of no system in
particular; others as warnings of a system), counts of NVLink errors that grew. A GPU whose power cannot be read is a
warning of the power system. PCIe replays have no rate in the model. The InfoROM is always valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from types import MappingProxyType

from engine.control.dcgm import fields, host_engine, links, modules
from engine.control.dcgm.errors import DcgmError, Fault, error
from engine.control.dcgm.readings import LAST_MINUTE, Reading, read, xids
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.gpu_power import Reason
from engine.world.records import HealthWatch, LinkSample
from engine.world.world import World


class Health(IntEnum):
    """dcgmHealthWatchResults_t."""

    PASS = 0
    WARN = 10
    FAIL = 20


class System(IntEnum):
    """dcgmHealthSystems_t: bits of a watch."""

    PCIE = 0x1
    NVLINK = 0x2
    PMU = 0x4
    MCU = 0x8
    MEMORY = 0x10
    SM = 0x20
    INFOROM = 0x40
    THERMAL = 0x80
    POWER = 0x100
    DRIVER = 0x200
    NVSWITCH_NONFATAL = 0x400
    NVSWITCH_FATAL = 0x800
    ALL = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that a check found wrong with an entity."""

    kind: str
    number: int
    system: System
    health: Health
    error: DcgmError


# Xids that count whatever is watched: the error they are told as.
_ALWAYS: Mapping[int, Fault] = MappingProxyType(
    {48: Fault.XID, 74: Fault.XID, 79: Fault.FALLEN_OFF_BUS, 94: Fault.XID, 95: Fault.UNCONTAINED, 119: Fault.XID,
     120: Fault.XID, 140: Fault.XID}
)  # fmt: skip
_OF_A_SYSTEM: Mapping[System, Mapping[int, Fault]] = MappingProxyType(
    {
        System.MEMORY: {
            31: Fault.XID,
            32: Fault.XID,
            43: Fault.XID,
            63: Fault.PENDING_RETIREMENT,
            64: Fault.REMAP_FAILURE,
        },
        System.PCIE: {38: Fault.XID, 39: Fault.XID},
        System.THERMAL: {60: Fault.CLOCKS_THERMAL, 61: Fault.XID},
        System.POWER: {54: Fault.XID, 56: Fault.XID, 57: Fault.CLOCKS_POWER, 58: Fault.XID, 78: Fault.XID},
        System.NVLINK: {73: Fault.XID, 121: Fault.XID, 137: Fault.XID},
        System.INFOROM: {93: Fault.CORRUPT_INFOROM},
    }
)
_MOST_CRC = 100
_ORDER = (System.PCIE, System.NVLINK, System.MEMORY, System.INFOROM, System.THERMAL, System.POWER)


def canonical(group: int) -> int:
    """The number under which watches of a group are kept: all GPUs are group 0, all NVSwitches group 1."""
    return {host_engine.ALL_GPUS: host_engine.DEFAULT_GPUS, host_engine.ALL_SWITCHES: host_engine.DEFAULT_SWITCHES}.get(
        group, group
    )


def watched(world: World, host: str, group: int) -> int:
    """The mask of watched systems of a group; 0 for none."""
    found = _watch(world, host, group)
    return found.systems if found else 0


def _watch(world: World, host: str, group: int) -> HealthWatch | None:
    wanted = canonical(group)
    return next((each for each in world.host_engines[host].watches if each.group == wanted), None)


def check(world: World, host: str, group: int, now: int) -> list[Incident]:
    """What is wrong with the members of a group, in the order in which the host engine finds it."""
    watch, members = _watch(world, host, group), host_engine.group(world, host, group)
    if watch is None or members is None or not watch.systems:
        return []
    gpus = read(world, host, now)
    first = min(each.since for each in world.host_engines[host].watches)
    found: list[Incident] = []
    for kind, number in members.members:
        if kind == host_engine.GPU and number < len(gpus):
            found += _of_gpu(gpus[number], watch, first)
        elif kind == host_engine.SWITCH and watch.systems & System.NVSWITCH_FATAL:
            found += _of_switch(world, host, number)
    return found


def overall(incidents: list[Incident]) -> Health:
    """The worst of them."""
    return max((incident.health for incident in incidents), default=Health.PASS)


def _of_gpu(gpu: Reading, watch: HealthWatch, first: int) -> Iterator[Incident]:
    seen = sorted({number for _, number in xids(gpu.world, gpu.gpu, first)})
    for number in seen:
        if number in _ALWAYS:
            yield _incident(gpu, System.ALL, Health.FAIL, _told(_ALWAYS[number], number, gpu))
    for system in _ORDER:
        if watch.systems & system:
            for number in seen:
                if number in _OF_A_SYSTEM[system]:
                    told = _told(_OF_A_SYSTEM[system][number], number, gpu)
                    yield _incident(gpu, system, Health.WARN, told)
            yield from _CHECKS[system](gpu, watch)


def _told(fault: Fault, number: int, gpu: Reading) -> DcgmError:
    values = (number, gpu.index) if fault is Fault.XID else (gpu.index,)
    return error(fault, *values, gpu=gpu.index)


def _incident(gpu: Reading, system: System, health: Health, found: DcgmError) -> Incident:
    return Incident(host_engine.GPU, gpu.index, system, health, found)


def _memory(gpu: Reading, watch: HealthWatch) -> Iterator[Incident]:
    doubles = fields.value(gpu, fields.table()[311])
    if isinstance(doubles, int) and doubles:
        found = error(Fault.VOLATILE_DBE, doubles, gpu.index, gpu=gpu.index)
        yield _incident(gpu, System.MEMORY, Health.FAIL, found)
    if not gpu.lost and gpu.state.remap.failure:
        yield _incident(gpu, System.MEMORY, Health.FAIL, error(Fault.REMAP_FAILURE, gpu.index, gpu=gpu.index))


def _held_back(gpu: Reading, watch: HealthWatch, *reasons: int) -> bool:
    """Whether reasons held back the clocks in the last minute, as far as it was watched."""
    start = max(watch.since, gpu.now - LAST_MINUTE)
    return not gpu.lost and any(gpu.held_back(each) > gpu.held_back(each, start) for each in reasons)


def _thermal(gpu: Reading, watch: HealthWatch) -> Iterator[Incident]:
    if _held_back(gpu, watch, Reason.SW_THERMAL, Reason.HW_THERMAL):
        yield _incident(gpu, System.THERMAL, Health.WARN, error(Fault.CLOCKS_THERMAL, gpu.index, gpu=gpu.index))


def _power(gpu: Reading, watch: HealthWatch) -> Iterator[Incident]:
    if gpu.lost:
        yield _incident(gpu, System.POWER, Health.WARN, error(Fault.POWER_UNREADABLE, gpu.index, gpu=gpu.index))
    elif _held_back(gpu, watch, Reason.SW_POWER_CAP):
        yield _incident(gpu, System.POWER, Health.WARN, error(Fault.CLOCKS_POWER, gpu.index, gpu=gpu.index))


def _link_errors(gpu: Reading, watch: HealthWatch) -> Iterator[Incident]:
    """Counts that grew: wrong checksums warn while they are few; packets sent again and retrainings are failures."""
    start = max(watch.since, gpu.now - LAST_MINUTE)
    found = links.grown(gpu.engine.link_samples, gpu.gpu.id, start)
    if found is None or gpu.lost:
        return
    for number, count in ((409, found.crc), (419, found.crc), (429, found.replay), (439, found.recovery)):
        tag = fields.table()[number].tag
        rate = count * SECOND / LAST_MINUTE
        if count and number in (429, 439):
            told = error(Fault.NVLINK_CRITICAL, count, tag, gpu.index, gpu=gpu.index)
            yield _incident(gpu, System.NVLINK, Health.FAIL, told)
        elif rate >= _MOST_CRC:
            told = error(Fault.NVLINK_CRC, rate, tag, gpu.index, gpu=gpu.index)
            yield _incident(gpu, System.NVLINK, Health.FAIL, told)
        elif count:
            told = error(Fault.NVLINK_THRESHOLD, count, tag, gpu.index, 1, gpu=gpu.index)
            yield _incident(gpu, System.NVLINK, Health.WARN, told)


def _nvlink(gpu: Reading, watch: HealthWatch) -> Iterator[Incident]:
    yield from _link_errors(gpu, watch)
    for link, state in enumerate(links.of_gpu(gpu.world, gpu.gpu)):
        if state == links.DOWN:
            found = error(Fault.NVLINK_DOWN, gpu.index, link, gpu=gpu.index)
            yield _incident(gpu, System.NVLINK, Health.FAIL, found)


def _nothing(gpu: Reading, watch: HealthWatch) -> Iterator[Incident]:
    return iter(())


_CHECKS = {
    System.PCIE: _nothing,
    System.NVLINK: _nvlink,
    System.MEMORY: _memory,
    System.INFOROM: _nothing,
    System.THERMAL: _thermal,
    System.POWER: _power,
}


def _of_switch(world: World, host: str, number: int) -> Iterator[Incident]:
    for port, state in enumerate(links.of_switches(world, host)[number]):
        if state == links.DOWN:
            found = error(Fault.NVLINK_DOWN, number, port)
            yield Incident(host_engine.SWITCH, number, System.NVSWITCH_FATAL, Health.FAIL, found)


@dataclass(frozen=True, slots=True)
class SetWatches(Action):
    """Watch systems of a group (0: none) from now on; what was watched before starts afresh."""

    host: str
    group: int
    systems: int

    def perform(self, simulation: Simulation[World]) -> None:
        kept = simulation.world.host_engines[self.host]
        group = canonical(self.group)
        others = tuple(each for each in kept.watches if each.group != group)
        new = (*others, HealthWatch(group, self.systems, simulation.now)) if self.systems else others
        loaded = tuple(sorted({*kept.loaded, modules.HEALTH}))
        samples: tuple[LinkSample, ...] = ()
        if any(each.systems & System.NVLINK for each in new):
            gpus = host_engine.gpus(simulation.world, self.host)
            samples = tuple(links.sample(simulation.world, gpu.id, simulation.now) for gpu in gpus)
        simulation.world.host_engines[self.host] = replace(kept, watches=new, loaded=loaded, link_samples=samples)

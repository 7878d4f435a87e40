"""Violation policies of the host engine: what counts as a violation of a GPU, and which violations there are.

Bits and defaults: dcgmPolicyCondition_t of dcgm_structs.h (DCGM 4.4.2). A thermal or power violation is told while the
reading is above the limit, an error when its count grows; the first look at a count is where growth is counted from.
Boards since Ampere retire no pages, so that condition is never violated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

from engine.control.dcgm import fields, modules
from engine.control.dcgm.readings import Reading, xids
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.records import ViolationPolicy
from engine.world.world import World


class Condition(IntEnum):
    """Bits of a policy's conditions."""

    DOUBLE_BIT = 0x1
    PCI = 0x2
    PAGES = 0x4
    THERMAL = 0x8
    POWER = 0x10
    NVLINK = 0x20
    XID = 0x40


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation: its condition, the figure that goes with it, and the field that holds it (of NVLinks)."""

    condition: Condition
    figure: int
    field: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """What only grows, as it stood when somebody looked: double-bit errors, replays, errors of NVLinks by field, and
    the moment for Xids (ns).
    """

    doubles: int
    replays: int
    time: int
    links: tuple[tuple[int, int], ...] = ()


_LINK_FIELDS = (409, 419, 429, 439)
"""Fields of all NVLinks together: wrong checksums of packets and of data, replays, recoveries."""


def policy(world: World, host: str, gpu: int) -> ViolationPolicy:
    """The policy of a GPU."""
    kept = world.host_engines[host].policies
    return next((each for each in kept if each.gpu == gpu), ViolationPolicy(gpu))


def counts(gpu: Reading) -> Counts:
    """The counts of a GPU now."""
    volatile = gpu.ecc("volatile")
    doubles = volatile.dram_uncorrected + volatile.sram_uncorrected_parity + volatile.sram_uncorrected_secded
    found = {number: fields.value(gpu, fields.table()[number]) for number in _LINK_FIELDS}
    links = tuple((number, count) for number, count in found.items() if isinstance(count, int))
    return Counts(doubles, gpu.state.pcie_replays, gpu.now, links)


def violations(gpu: Reading, before: Counts) -> Iterator[Violation]:
    """Violations of a GPU's policy since `before`."""
    found, now = policy(gpu.world, gpu.gpu.node, gpu.index), counts(gpu)
    seen = [number for time, number in xids(gpu.world, gpu.gpu, before.time + 1) if time <= gpu.now]
    if found.conditions & Condition.DOUBLE_BIT and now.doubles > before.doubles:
        yield Violation(Condition.DOUBLE_BIT, now.doubles)
    if found.conditions & Condition.PCI and now.replays > before.replays:
        yield Violation(Condition.PCI, now.replays)
    if found.conditions & Condition.THERMAL and not gpu.lost and gpu.temperature > found.temperature:
        yield Violation(Condition.THERMAL, gpu.temperature)
    if found.conditions & Condition.POWER and not gpu.lost and gpu.power // 1000 > found.power:
        yield Violation(Condition.POWER, gpu.power // 1000)
    if found.conditions & Condition.NVLINK:
        earlier = dict(before.links)
        grown = ((field, count) for field, count in now.links if count > earlier.get(field, 0))
        yield from (Violation(Condition.NVLINK, count, field) for field, count in grown)
    if found.conditions & Condition.XID:
        yield from (Violation(Condition.XID, number) for number in seen)


@dataclass(frozen=True, slots=True)
class SetPolicy(Action):
    """Set the policy of GPUs; fields as in ViolationPolicy."""

    host: str
    gpus: tuple[int, ...]
    conditions: int
    pages: int = 0
    temperature: int = 0
    power: int = 0
    action: int = 0
    validation: int = 0

    def perform(self, simulation: Simulation[World]) -> None:
        kept = simulation.world.host_engines[self.host]
        others = tuple(each for each in kept.policies if each.gpu not in self.gpus)
        new = tuple(
            ViolationPolicy(
                gpu, self.conditions, self.pages, self.temperature, self.power, self.action, self.validation
            )
            for gpu in self.gpus
        )
        loaded = tuple(sorted({*kept.loaded, modules.POLICY}))
        simulation.world.host_engines[self.host] = replace(kept, policies=(*others, *new), loaded=loaded)

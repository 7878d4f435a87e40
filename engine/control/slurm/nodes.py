"""Nodes as slurmctld sees them: what jobs hold on each, and the state that follows from records and registration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.control.slurm import jobs as job_queries
from engine.control.slurm.configuration import NodeConfiguration, SlurmConfiguration, in_force
from engine.control.slurm.ledger import ledger
from engine.control.slurm.states import Base, Flag, NodeCondition
from engine.control.slurm.usage import Usage
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.world.records import Job, SlurmNode
from engine.world.world import World


@dataclass(slots=True)
class Cluster:
    """The cluster at one moment: configuration, jobs, and per node what they hold. Made anew by whoever looks."""

    world: World
    configuration: SlurmConfiguration
    usage: dict[str, Usage]
    planned: frozenset[str]
    reserved: dict[str, Flag]

    @property
    def active(self) -> list[Job]:
        """The jobs that slurmctld works on, by number."""
        return job_queries.active(self.world)

    def node(self, name: str) -> NodeConfiguration:
        return self.configuration.nodes[name]

    def record(self, name: str) -> SlurmNode:
        return self.world.slurm_nodes[name]

    def held(self, name: str) -> Usage:
        """What jobs hold on a node; nothing for one that no job is on."""
        return self.usage.get(name) or Usage()

    def condition(self, name: str) -> NodeCondition:
        """Base state and flags of a node."""
        record, held = self.record(name), self.held(name)
        base = _base(record, held, self.node(name).cpus)
        planned = base in (Base.IDLE, Base.MIXED) and name in self.planned
        of_queue = self.reserved.get(name, Flag.NONE) | (Flag.PLANNED if planned else Flag.NONE)
        return NodeCondition(base, _flags(record, held) | of_queue)

    def available(self, names: Iterable[str]) -> list[str]:
        """Those of `names` on which new work may be placed."""
        return [name for name in names if self.condition(name).available]


def survey(world: World) -> Cluster:
    """The cluster now."""
    controller = world.slurm[""]
    reserved: dict[str, Flag] = {}
    for each in controller.reservations:
        if each.active:
            flag = Flag.RESERVED | Flag.MAINTENANCE if "MAINT" in each.flags else Flag.RESERVED
            reserved |= {name: reserved.get(name, Flag.NONE) | flag for name in each.nodes}
    return Cluster(world, in_force(world), ledger(world).usage, frozenset(controller.planned_nodes), reserved)


def available(record: SlurmNode) -> bool:
    """Whether new work may be placed on a node, whatever runs there now."""
    return NodeCondition(_base(record, Usage(), 1), _flags(record, Usage())).available


def boot_time(world: World, name: str) -> int:
    """When the node booted, as it said when it last registered."""
    return world.slurm_nodes[name].boot_time or world.nodes[name].booted_at


def named(configuration: SlurmConfiguration, text: str) -> Iterator[str]:
    """The nodes of a node list, in its order; `ALL` for all. Raises KeyError for one that is not configured."""
    if text.upper() == "ALL":
        yield from configuration.nodes
        return
    try:
        names = expand(text)
    except BreakfixError:
        raise KeyError(text) from None
    for name in names:
        if name not in configuration.nodes:
            raise KeyError(name)
        yield name


def _base(record: SlurmNode, held: Usage, cpus: int) -> Base:
    if record.down:
        return Base.DOWN
    if record.unknown and not held.running:
        return Base.UNKNOWN
    if not held.running:
        return Base.IDLE
    return Base.ALLOCATED if held.cpus.bit_count() >= cpus else Base.MIXED


def _flags(record: SlurmNode, held: Usage) -> Flag:
    flags = Flag.NONE
    for name, flag in _RECORDED:
        if getattr(record, name):
            flags |= flag
    flags |= _OF_POWER.get(record.power, Flag.NONE)
    if not record.responding:
        flags |= Flag.NOT_RESPONDING
    if held.completing and not record.down:
        flags |= Flag.COMPLETING
    return flags


_OF_POWER = {
    "asked": Flag.POWER_DOWN, "going_down": Flag.POWERING_DOWN, "down": Flag.POWERED_DOWN,
    "coming_up": Flag.POWERING_UP,
}  # fmt: skip
_RECORDED = (
    ("drain", Flag.DRAIN),
    ("fail", Flag.FAIL),
    ("invalid", Flag.INVALID_REG),
    ("reboot_requested", Flag.REBOOT_REQUESTED),
    ("reboot_issued", Flag.REBOOT_ISSUED),
)

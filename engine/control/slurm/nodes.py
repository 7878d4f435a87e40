"""Nodes as slurmctld sees them: what jobs hold on each, and the state that follows from records and registration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from engine.control.slurm import jobs as job_queries
from engine.control.slurm.configuration import NodeConfiguration, SlurmConfiguration, in_force
from engine.control.slurm.states import Base, Flag, NodeCondition
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.world.records import Job, SlurmNode
from engine.world.world import World


@dataclass(slots=True)
class Usage:
    """What jobs hold on a node; CPUs are bit masks.

    Of a job that is being cleaned up only `completing` tells; `blocked_*` are held until it is gone.
    """

    cpus: int = 0
    gpus: set[int] = field(default_factory=set)
    memory: int = 0
    running: list[int] = field(default_factory=list)
    completing: list[int] = field(default_factory=list)
    blocked_cpus: int = 0
    blocked_gpus: set[int] = field(default_factory=set)
    blocked_memory: int = 0

    def take(self, job: Job, index: int) -> None:
        """Count the share of `job` on its node number `index`."""
        cpus, gpus = job.cpu_masks[index], job.gpu_indices[index]
        if job.completing:
            self.completing.append(job.id)
            self.blocked_cpus |= cpus
            self.blocked_gpus.update(gpus)
            self.blocked_memory += job.memory_mib
        else:
            self.running.append(job.id)
            self.cpus |= cpus
            self.gpus.update(gpus)
            self.memory += job.memory_mib


@dataclass(slots=True)
class Cluster:
    """The cluster at one moment: configuration, jobs, and per node what they hold. Made anew by whoever looks."""

    world: World
    configuration: SlurmConfiguration
    active: list[Job]
    usage: dict[str, Usage]

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
        planned = base in (Base.IDLE, Base.MIXED) and name in self.world.slurm[""].planned_nodes
        return NodeCondition(base, _flags(record, held) | (Flag.PLANNED if planned else Flag.NONE))

    def available(self, names: Iterable[str]) -> list[str]:
        """Those of `names` on which new work may be placed."""
        return [name for name in names if self.condition(name).available]


def survey(world: World) -> Cluster:
    """The cluster now."""
    active = job_queries.active(world)
    usage: dict[str, Usage] = {}
    for job in active:
        for index, name in enumerate(job.nodes):
            usage.setdefault(name, Usage()).take(job, index)
    return Cluster(world, in_force(world), active, usage)


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
    if record.unknown:
        return Base.UNKNOWN
    if not held.running:
        return Base.IDLE
    return Base.ALLOCATED if held.cpus.bit_count() >= cpus else Base.MIXED


def _flags(record: SlurmNode, held: Usage) -> Flag:
    flags = Flag.NONE
    for name, flag in _RECORDED:
        if getattr(record, name):
            flags |= flag
    if not record.responding:
        flags |= Flag.NOT_RESPONDING
    if held.completing and not record.down:
        flags |= Flag.COMPLETING
    return flags


_RECORDED = (
    ("drain", Flag.DRAIN),
    ("fail", Flag.FAIL),
    ("invalid", Flag.INVALID_REG),
    ("reboot_requested", Flag.REBOOT_REQUESTED),
    ("reboot_issued", Flag.REBOOT_ISSUED),
)

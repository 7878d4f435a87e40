"""What slurmctld has in memory of its jobs and what they hold, kept up to date job by job.

All of it follows from the table of jobs and the configuration, so that it is no state: a world that has none yet, or
whose jobs were changed past `put`, gets a new one. It is here because a cluster of two thousand nodes and ten thousand
jobs cannot be looked through for each job that ends. Sets of nodes are bit masks over the order of slurm.conf (what
slurmctld calls node bitmaps).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.control.slurm.configuration import NodeConfiguration, SlurmConfiguration, in_force
from engine.control.slurm.usage import Usage
from engine.kernel.units import DAY
from engine.world.records import Job, SlurmNode
from engine.world.world import World

OLDEST = 7 * DAY
"""PriorityMaxAge's default: the age from which a job's priority grows no more."""
_SHAPES = 128


class Shape(NamedTuple):
    """What a job asks of each of its nodes."""

    gpu_type: str
    gpus: int
    cpus: int
    memory: int
    exclusive: bool


@dataclass(slots=True)
class Totals:
    """What running jobs hold together; `submitted` counts those that wait, too."""

    submitted: int = 0
    jobs: int = 0
    cpus: int = 0
    memory: int = 0
    nodes: int = 0
    gpus: int = 0

    def count(self, job: Job, sign: int) -> None:
        """Add a job (`sign` 1), or take it off (-1)."""
        self.submitted += sign * max(len(job.array_tasks), 1)
        if job.state == "RUNNING":
            self.jobs += sign
            self.cpus += sign * job.cpus_per_node * job.node_count
            self.memory += sign * job.memory_mib * job.node_count
            self.nodes += sign * job.node_count
            self.gpus += sign * job.gpus_per_node * job.node_count


Owner = tuple[str, str, str]
"""(quality of service, account, user) of jobs."""
QueueKey = tuple[bool, int, int, int]


@dataclass(slots=True)
class Ledger:
    """The jobs that slurmctld works on by number, what they hold by node and by owner, the jobs of each array, those
    that wait in the order of their priorities (`queue`), who waits for a job (`awaited`), and (time, number) of those
    that have ended.
    """

    world: World
    generation: int = 0
    active: dict[int, Job] = field(default_factory=dict)
    usage: dict[str, Usage] = field(default_factory=dict)
    totals: dict[Owner, Totals] = field(default_factory=dict)
    arrays: dict[int, list[int]] = field(default_factory=dict)
    queue: list[tuple[QueueKey, int]] = field(default_factory=list)
    keys: dict[int, QueueKey] = field(default_factory=dict)
    awaited: dict[int, list[int]] = field(default_factory=dict)
    ended: list[tuple[int, int]] = field(default_factory=list)
    places: Places | None = None

    def enter(self, job: Job) -> None:
        """Take a job in as it is."""
        if job.array_job:
            members = self.arrays.setdefault(job.array_job, [])
            if job.id not in members:
                insort(members, job.id)
        if job.ended is not None:
            insort(self.ended, (job.ended, job.id))
        if not is_active(job):
            return
        self.active[job.id] = job
        for index, name in enumerate(job.nodes):
            self.usage.setdefault(name, Usage()).take(job, index)
        if not job.completing:
            self.totals.setdefault(owner(job), Totals()).count(job, 1)
        if waits(job):
            key = self.keys[job.id] = queue_key(job, age_weight(self.world))
            insort(self.queue, (key, job.id))
            for dependency in job.dependencies:
                self.awaited.setdefault(dependency.job, []).append(job.id)
        self._touched(job.nodes)

    def remove(self, job: Job) -> None:
        """Take a job out as it was."""
        if job.ended is not None:
            self.ended.pop(bisect_left(self.ended, (job.ended, job.id)))
        if self.active.pop(job.id, None) is None:
            return
        for index, name in enumerate(job.nodes):
            held = self.usage[name]
            held.drop(job, index)
            if held.empty:
                del self.usage[name]
        if not job.completing:
            self.totals[owner(job)].count(job, -1)
        if waits(job):
            self.queue.pop(bisect_left(self.queue, (self.keys.pop(job.id), job.id)))
            for dependency in job.dependencies:
                self.awaited[dependency.job].remove(job.id)
        self._touched(job.nodes)

    def _touched(self, nodes: Iterable[str]) -> None:
        if self.places is not None:
            self.places.dirty.update(nodes)

    def placing(self) -> Places:
        """The nodes as bits, brought up to date."""
        known = in_force(self.world)
        if self.places is None or self.places.configuration is not known:
            self.places = Places(known)
        self.places.refresh(self.world, self.usage)
        return self.places


class Places:
    """The nodes of a configuration as bits: which may be used, and which have room for a shape."""

    def __init__(self, configuration: SlurmConfiguration) -> None:
        self.configuration = configuration
        self.names = tuple(configuration.nodes)
        self.bits = {name: 1 << index for index, name in enumerate(self.names)}
        self.available = 0
        self.dirty: set[str] = set()
        self._records: list[SlurmNode | None] = [None] * len(self.names)
        self._generation = -1
        self._fits: dict[Shape, int] = {}
        self._sets: dict[tuple[str, str], int] = {}
        weights: dict[int, int] = {}
        for name, node in configuration.nodes.items():
            weights[node.weight] = weights.get(node.weight, 0) | self.bits[name]
        self.by_weight = tuple(mask for _, mask in sorted(weights.items()))

    def refresh(self, world: World, usage: dict[str, Usage]) -> None:
        """Take in what has changed of nodes and of what jobs hold."""
        if world.slurm_nodes.generation != self._generation:
            self._generation = world.slurm_nodes.generation
            self._look_at_nodes(world)
        if self.dirty:
            for shape, mask in self._fits.items():
                self._fits[shape] = self._mended(world, usage, shape, mask, self.dirty)
            self.dirty = set()

    def _look_at_nodes(self, world: World) -> None:
        from engine.control.slurm.nodes import available

        for index, name in enumerate(self.names):
            record = world.slurm_nodes[name]
            if record is not self._records[index]:
                self._records[index] = record
                self.dirty.add(name)
                bit = self.bits[name]
                self.available = self.available | bit if available(record) else self.available & ~bit

    def fitting(self, world: World, usage: dict[str, Usage], shape: Shape) -> int:
        """The nodes that have room for a shape."""
        mask = self._fits.get(shape)
        if mask is None:
            if len(self._fits) >= _SHAPES:
                self._fits.pop(next(iter(self._fits)))
            mask = self._fits[shape] = self._mended(world, usage, shape, 0, self.names)
        return mask

    def _mended(self, world: World, usage: dict[str, Usage], shape: Shape, mask: int, names: Iterable[str]) -> int:
        nodes = self.configuration.nodes
        nothing = Usage()
        for name in names:
            if name in nodes:
                registered = world.slurm_nodes[name].registered_gpus
                room = has_room(shape, nodes[name], usage.get(name, nothing), registered)
                mask = mask | self.bits[name] if room else mask & ~self.bits[name]
        return mask

    def mask(self, names: Iterable[str]) -> int:
        """The bits of nodes; of those that are not configured, none."""
        found = 0
        for name in names:
            found |= self.bits.get(name, 0)
        return found

    def names_of(self, mask: int) -> tuple[str, ...]:
        """The nodes of a mask, in the order of slurm.conf."""
        found = []
        while mask:
            lowest = mask & -mask
            found.append(self.names[lowest.bit_length() - 1])
            mask ^= lowest
        return tuple(found)

    def partition(self, name: str) -> int:
        """The nodes of a partition."""
        key = ("partition", name)
        if key not in self._sets:
            partition = self.configuration.partition(name)
            self._sets[key] = self.mask(partition.nodes) if partition else 0
        return self._sets[key]

    def feature(self, name: str) -> int:
        """The nodes that have a feature."""
        key = ("feature", name)
        if key not in self._sets:
            having = [node.name for node in self.configuration.nodes.values() if name in node.features.split(",")]
            self._sets[key] = self.mask(having)
        return self._sets[key]

    def best(self, mask: int, count: int) -> int:
        """`count` nodes of a mask, those of least weight first, then in the order of slurm.conf."""
        chosen = 0
        for members in self.by_weight:
            rest = mask & members
            while rest and count:
                lowest = rest & -rest
                chosen |= lowest
                rest ^= lowest
                count -= 1
        return chosen


def has_room(shape: Shape, node: NodeConfiguration, held: Usage, registered: int | None) -> bool:
    """Whether what a shape asks for is free on a node, of whose GPUs `registered` are there (None: all)."""
    if shape.exclusive and (held.running or held.completing):
        return False
    if shape.gpu_type and shape.gpu_type != node.gpu_type:
        return False
    gpus = node.gpus if registered is None else min(node.gpus, registered)
    if shape.gpus and len(held.free_gpus(gpus)) < shape.gpus:
        return False
    free = node.cpus - (held.cpus | held.blocked_cpus).bit_count()
    return free >= shape.cpus and node.real_memory - held.memory - held.blocked_memory >= shape.memory


def shape_of(job: Job) -> Shape:
    """What a job asks of each node."""
    return Shape(job.gpu_type, job.gpus_per_node, job.cpus_per_node, job.memory_mib, job.exclusive)


def owner(job: Job) -> Owner:
    """Whose limits a job counts against."""
    return job.qos, job.account, job.user


def waits(job: Job) -> bool:
    """Whether a job is in the queue and could start."""
    return job.state == "PENDING" and not job.completing


def is_active(job: Job) -> bool:
    """Whether slurmctld still works on a job."""
    return job.completing or job.state in ("PENDING", "RUNNING", "SUSPENDED")


def age_weight(world: World) -> int:
    """PriorityWeightAge."""
    return in_force(world).number("PriorityWeightAge", 0)


def queue_key(job: Job, weight: int) -> QueueKey:
    """What orders jobs that wait, whatever the time: all grow older alike, up to `OLDEST`."""
    since = job.submitted if job.eligible is None else job.eligible
    rank = job.priority * OLDEST - (0 if job.fixed_priority else weight * since)
    return job.held or job.held_by_admin, -rank, job.submitted, job.id


def ledger(world: World) -> Ledger:
    """The ledger of a world as it is now."""
    known = world.slurm_ledger
    if isinstance(known, Ledger) and known.world is world and known.generation == world.jobs.generation:
        return known
    fresh = Ledger(world, world.jobs.generation)
    for job in sorted((world.jobs[name] for name in world.jobs.changed()), key=lambda each: each.id):
        fresh.enter(job)
    world.slurm_ledger = fresh
    return fresh


def put(world: World, number: int, **changes: Any) -> Job:
    """Change fields of a job. The one way to do it."""
    known, table = ledger(world), world.jobs
    before = table[str(number)]
    after = table.update(str(number), **changes)
    if after is not before and table.generation != known.generation:
        known.remove(before)
        known.enter(after)
        known.generation = table.generation
    return after


def enter(world: World, job: Job) -> None:
    """A new job."""
    known = ledger(world)
    world.jobs[str(job.id)] = job
    known.enter(job)
    known.generation = world.jobs.generation

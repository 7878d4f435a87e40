"""What slurmctld decides when it looks at its queue: which jobs start where, and why the others wait.

One pass does what the main scheduler and backfill do between them (SchedMD/slurm 24.11 src/slurmctld/job_scheduler.c,
node_scheduler.c; sched/backfill): jobs by partition tier and priority; the first that does not fit blocks its partition
and gets its nodes promised for when the running jobs must be over; later jobs start only where they cannot delay it. A
pass reads the world and changes nothing. Jobs get the nodes of least weight first, in the order of slurm.conf, and the
lowest free cores and GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from engine.control.slurm import dependencies
from engine.control.slurm.configuration import PartitionConfiguration
from engine.control.slurm.jobs import priority
from engine.control.slurm.nodes import Cluster, Usage
from engine.control.slurm.states import Base
from engine.kernel.hostlist import fold
from engine.world.records import Job

NODES_GONE = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"
_PROMISES = 10  # blocked jobs for which backfill works out a start (bf_max_job_test in small)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a job starts: per node its CPUs (a bit mask) and GPUs."""

    job: int
    nodes: tuple[str, ...]
    cpus: tuple[int, ...]
    gpus: tuple[tuple[int, ...], ...]
    backfilled: bool = False


@dataclass(slots=True)
class Decisions:
    """The outcome of a pass: starts in order, the reason of each job that waits, and the nodes promised to blocked
    jobs.
    """

    starts: list[Placement] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)
    planned: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Promise:
    """Nodes that a blocked job is to get at a time."""

    start: int
    nodes: frozenset[str]


class Pass:
    """One look at the queue at `now`."""

    def __init__(self, cluster: Cluster, now: int) -> None:
        self.cluster = cluster
        self.now = now
        self.decisions = Decisions()
        self.usage = {name: _copy(held) for name, held in cluster.usage.items()}
        self.blocked: set[str] = set()
        self.promises: list[_Promise] = []
        self._known_available: dict[str, bool] = {}

    def run(self) -> Decisions:
        """Decide about every pending job."""
        for job in self.in_order():
            self.decide(job)
        promised = {name for promise in self.promises for name in promise.nodes}
        nodes = self.cluster.configuration.nodes
        self.decisions.planned = tuple(name for name in nodes if name in promised and self._available(name))
        return self.decisions

    def in_order(self) -> list[Job]:
        """Pending jobs as the scheduler takes them up."""
        pending = [job for job in self.cluster.active if job.state == "PENDING" and not job.completing]
        return sorted(pending, key=lambda job: (-self._tier(job), -priority(job, self.now), job.submitted, job.id))

    def decide(self, job: Job) -> None:
        """Start `job`, or note why it waits."""
        partition = self.cluster.configuration.partition(job.partition)
        if partition is None:
            self.decisions.reasons[job.id] = "PartitionInactive"
            return
        reason = self._standing_reason(job, partition) or self._missing_nodes(job, partition)
        if reason:
            self.decisions.reasons[job.id] = reason
            return
        placement = self.place(job, partition)
        if placement:
            self._start(job, placement)
        else:
            self._wait(job, partition)

    def place(self, job: Job, partition: PartitionConfiguration) -> Placement | None:
        """Nodes on which the job can start now without delaying a blocked one, or None."""
        names = self._candidates(job, partition)
        fitting = [name for name in names if self.fits(job, name) and not self._promised(job, name)]
        found = _choose(job, fitting)
        if found is None:
            return None
        chosen = tuple(name for name in partition.nodes if name in found)
        cpus = tuple(self._free_cpus(name, job.cpus_per_node) for name in chosen)
        gpus = tuple(self._free_gpus(name)[: job.gpus_per_node] for name in chosen)
        return Placement(job.id, chosen, cpus, gpus, backfilled=partition.name in self.blocked)

    def forecast(self, job: Job, partition: PartitionConfiguration) -> tuple[int, tuple[str, ...]] | None:
        """When and where the job can start if nobody else asks for anything, or None if it never can."""
        if placement := self.place(job, partition):
            return self.now, placement.nodes
        promise = self._earliest(job, partition)
        return (promise.start, tuple(name for name in partition.nodes if name in promise.nodes)) if promise else None

    def fits(self, job: Job, name: str) -> bool:
        """Whether what the job asks of each node is free on this one."""
        node, held = self.cluster.node(name), self._held(name)
        if job.exclusive and (held.running or held.completing):
            return False
        return (
            (not job.gpu_type or job.gpu_type == node.gpu_type)
            and len(self._free_gpus(name)) >= job.gpus_per_node
            and node.cpus - (held.cpus | held.blocked_cpus).bit_count() >= job.cpus_per_node
            and node.real_memory - held.memory - held.blocked_memory >= job.memory_mib
        )

    def _tier(self, job: Job) -> int:
        partition = self.cluster.configuration.partition(job.partition)
        return partition.priority_tier if partition else 0

    def _held(self, name: str) -> Usage:
        return self.usage.setdefault(name, Usage())

    def _free_gpus(self, name: str) -> tuple[int, ...]:
        held = self._held(name)
        registered = self.cluster.record(name).registered_gpus
        count = self.cluster.node(name).gpus
        present = count if registered is None else min(count, registered)
        return tuple(index for index in range(present) if index not in held.gpus and index not in held.blocked_gpus)

    def _free_cpus(self, name: str, count: int) -> int:
        """The lowest `count` free CPUs of a node."""
        taken = self._held(name).cpus | self._held(name).blocked_cpus
        free = ~taken & (1 << self.cluster.node(name).cpus) - 1
        chosen = 0
        for _ in range(count):
            lowest = free & -free
            chosen |= lowest
            free ^= lowest
        return chosen

    def _candidates(self, job: Job, partition: PartitionConfiguration) -> list[str]:
        """Nodes that may be used at all, best first."""
        only = set(job.requested_nodes) if len(job.requested_nodes) == job.node_count else set(partition.nodes)
        names = [
            name
            for name in partition.nodes
            if name in only and name not in job.excluded_nodes and self._available(name)
        ]
        return sorted(names, key=lambda name: self.cluster.node(name).weight)

    def _available(self, name: str) -> bool:
        """Whether new work may be placed on a node."""
        if name not in self._known_available:
            self._known_available[name] = self.cluster.condition(name).available
        return self._known_available[name]

    def _standing_reason(self, job: Job, partition: PartitionConfiguration) -> str:
        """Why the job cannot start whatever is free."""
        if job.held_by_admin:
            return "JobHeldAdmin"
        if job.held:
            return "JobHeldUser"
        if waits := dependencies.reason(self.cluster.world, job, self.now):
            return waits
        if job.begin is not None and job.begin > self.now:
            return "BeginTime"
        if partition.state in ("DOWN", "INACTIVE"):
            return "PartitionDown" if partition.state == "DOWN" else "PartitionInactive"
        if job.node_count > (
            len(partition.nodes) if partition.max_nodes is None else min(partition.max_nodes, len(partition.nodes))
        ):
            return "PartitionNodeLimit"
        if partition.max_time is not None and (not job.time_limit or job.time_limit > partition.max_time):
            return "PartitionTimeLimit"
        return ""

    def _missing_nodes(self, job: Job, partition: PartitionConfiguration) -> str:
        """Whether the nodes that the job must have are there."""
        asked = [name for name in job.requested_nodes if name in self.cluster.configuration.nodes]
        if not all(map(self._available, asked)):
            gone = (Base.DOWN, Base.UNKNOWN)
            return unavailable([name for name in asked if self.cluster.condition(name).base in gone])
        if partition.name in self.blocked:
            return ""
        usable = sum(map(self._available, partition.nodes))
        if usable < job.node_count:
            self._block(partition)
            return NODES_GONE
        return ""

    def _wait(self, job: Job, partition: PartitionConfiguration) -> None:
        first = partition.name not in self.blocked
        self.decisions.reasons[job.id] = "Resources" if first else "Priority"
        self._block(partition)
        if len(self.promises) < _PROMISES and (promise := self._earliest(job, partition)):
            self.promises.append(promise)

    def _block(self, partition: PartitionConfiguration) -> None:
        """Later jobs on the same nodes wait for their turn; backfill may still start them."""
        members = set(partition.nodes)
        self.blocked.update(other.name for other in self.cluster.configuration.partitions if members & set(other.nodes))
        self.blocked.add(partition.name)

    def _promised(self, job: Job, name: str) -> bool:
        """Whether the job would still be on the node when a blocked one is to get it."""
        limit = job.time_limit
        return any(
            name in promise.nodes and (not limit or self.now + limit > promise.start) for promise in self.promises
        )

    def _earliest(self, job: Job, partition: PartitionConfiguration) -> _Promise | None:
        """When and where the job can start at the latest, if every running job uses all of its time."""
        saved = self.usage
        self.usage = {name: _copy(held) for name, held in saved.items()}
        try:
            fits = {name: self.fits(job, name) for name in self._candidates(job, partition)}
            for end, running in self._endings():
                for index, name in enumerate(running.nodes):
                    _release(self._held(name), running, index)
                    if name in fits:
                        fits[name] = self.fits(job, name)
                if chosen := _choose(job, [name for name, fitting in fits.items() if fitting]):
                    return _Promise(end, frozenset(chosen))
            return None
        finally:
            self.usage = saved

    def _endings(self) -> list[tuple[int, Job]]:
        """Running jobs by the time at which they must be over; those without a limit never are."""
        started = {placement.job: placement for placement in self.decisions.starts}
        endings = []
        for job in self.cluster.active:
            if job.completing or not job.time_limit:
                continue
            if job.state == "RUNNING" and job.started is not None:
                endings.append((job.started + job.time_limit, job))
            elif placement := started.get(job.id):
                endings.append((self.now + job.time_limit, placed(job, placement)))
        return sorted(endings, key=lambda entry: (entry[0], entry[1].id))

    def _start(self, job: Job, placement: Placement) -> None:
        self.decisions.starts.append(placement)
        for index, name in enumerate(placement.nodes):
            self._held(name).take(placed(job, placement), index)


def placed(job: Job, placement: Placement) -> Job:
    """The job with its allocation."""
    return replace(job, nodes=placement.nodes, cpu_masks=placement.cpus, gpu_indices=placement.gpus)


def unavailable(gone: list[str]) -> str:
    """The reason of a job whose nodes are not there: those that are down are named, drained ones are not."""
    return (
        f"ReqNodeNotAvail, UnavailableNodes:{fold(gone)}" if gone else "ReqNodeNotAvail, May be reserved for other job"
    )


def _choose(job: Job, fitting: list[str]) -> tuple[str, ...] | None:
    """The nodes to take of those that fit: the ones asked for first, then the best."""
    if any(name not in fitting for name in job.requested_nodes):
        return None
    rest = [name for name in fitting if name not in job.requested_nodes]
    chosen = {*job.requested_nodes, *rest[: max(job.node_count - len(job.requested_nodes), 0)]}
    return tuple(name for name in fitting if name in chosen) if len(chosen) >= job.node_count else None


def _copy(held: Usage) -> Usage:
    return Usage(
        held.cpus, set(held.gpus), held.memory, list(held.running), list(held.completing),
        held.blocked_cpus, set(held.blocked_gpus), held.blocked_memory,
    )  # fmt: skip


def _release(held: Usage, job: Job, index: int) -> None:
    held.cpus &= ~job.cpu_masks[index]
    held.gpus.difference_update(job.gpu_indices[index])
    held.memory -= job.memory_mib
    if job.id in held.running:
        held.running.remove(job.id)

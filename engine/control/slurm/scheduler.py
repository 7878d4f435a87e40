"""What slurmctld decides when it looks at its queue: which jobs start where, and why the others wait.

One pass does what the main scheduler and backfill do between them (SchedMD/slurm 24.11 src/slurmctld/job_scheduler.c,
node_scheduler.c; sched/backfill): jobs by partition tier and priority; the first that does not fit blocks its partition
and gets its nodes promised for when the running jobs must be over; later jobs start only where they cannot delay it. A
pass reads the world and changes nothing. Jobs get the nodes of least weight first, in the order of slurm.conf, and the
lowest free cores and GPUs. What a job may have of nodes are bit masks (engine.control.slurm.ledger), so that a pass
over ten thousand jobs looks at each node only when something on it has changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice

from engine.control.slurm import arrays, backfill, dependencies, limits, preemption
from engine.control.slurm.backfill import Promise
from engine.control.slurm.configuration import PartitionConfiguration
from engine.control.slurm.features import matching
from engine.control.slurm.jobs import priority
from engine.control.slurm.ledger import Shape, has_room, ledger, shape_of
from engine.control.slurm.nodes import Cluster
from engine.control.slurm.reservations import find, in_the_way, is_active, may_use
from engine.control.slurm.states import Base
from engine.control.slurm.usage import Usage
from engine.kernel.hostlist import fold
from engine.world.records import Job, SlurmReservation

NODES_GONE = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"
MAINTENANCE = "ReqNodeNotAvail, Reserved for maintenance"
TAKEN = "ReqNodeNotAvail, May be reserved for other job"
_PROMISES = 10  # blocked jobs for which backfill works out a start (bf_max_job_test in small)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a job starts: per node its CPUs (a bit mask) and GPUs; `task` is the one of a job array."""

    job: int
    nodes: tuple[str, ...]
    cpus: tuple[int, ...]
    gpus: tuple[tuple[int, ...], ...]
    backfilled: bool = False
    task: int | None = None


@dataclass(slots=True)
class Decisions:
    """The outcome of a pass: starts in order, the reason of each job that waits, the nodes promised to blocked jobs,
    when they are to get them, and (job that has to make room, job for which).
    """

    starts: list[Placement] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)
    planned: tuple[str, ...] = ()
    promises: dict[int, Promise] = field(default_factory=dict)
    evictions: list[tuple[int, int]] = field(default_factory=list)


class Pass:
    """One look at the queue at `now`: at all of it, or as the main scheduler does between two backfills at its first
    `depth` jobs, of each partition up to the first that has to wait.
    """

    def __init__(self, cluster: Cluster, now: int, depth: int | None = None) -> None:
        self.cluster = cluster
        self.now = now
        self.depth = depth
        self.decisions = Decisions()
        self.ledger = ledger(cluster.world)
        self.places = self.ledger.placing()
        self.changed: dict[str, Usage] = {}
        self._touched: list[str] = []
        self._fits: dict[Shape, tuple[int, int]] = {}
        self.starting: list[Job] = []
        self.endings: list[tuple[int, Job]] | None = None
        self.blocked: set[str] = set()
        self.held = limits.Held(cluster.world)

    def run(self) -> Decisions:
        """Decide about every pending job."""
        for job in self.in_order():
            self.decide(job)
        promised = 0
        for promise in self.decisions.promises.values():
            promised |= promise.mask
        self.decisions.planned = self.places.names_of(promised & self.places.available)
        return self.decisions

    def in_order(self) -> list[Job]:
        """Pending jobs as the scheduler takes them up."""
        active = self.ledger.active
        pending = [active[number] for _, number in islice(self.ledger.queue, self.depth)]
        if self.depth is not None:
            return sorted(pending, key=lambda job: -self._tier(job))
        return sorted(
            pending,
            key=lambda job: (-self._tier(job), -priority(self.cluster.world, job, self.now), job.submitted, job.id),
        )

    def decide(self, job: Job) -> None:
        """Start `job`, or note why it waits. Of a job array as many tasks start as may."""
        partition = self.cluster.configuration.partition(job.partition)
        if partition is None:
            self.decisions.reasons[job.id] = "PartitionInactive"
            return
        if self.depth is not None and partition.name in self.blocked:
            if job.reason == "None" or job.dependencies:
                reason = self._standing_reason(job, partition, 0) or self._missing_nodes(job, partition)
                self.decisions.reasons[job.id] = reason or "Priority"
            return
        running = arrays.running(self.cluster.world, job.array_job) if job.array_tasks else 0
        for task in self._tasks(job):
            reason = self._standing_reason(job, partition, running) or self._missing_nodes(job, partition)
            placement = None if reason else self.place(job, partition)
            if placement is None:
                self.decisions.reasons[job.id] = reason or self._wait(job, partition)
                return
            self._start(job, replace(placement, task=task))
            running += 1

    def _tasks(self, job: Job) -> tuple[int | None, ...]:
        """The tasks of an array that need not wait for those of another; all if none may go, so that a reason is found.
        A job alone is its own task.
        """
        if not job.array_tasks or not any(each.kind == "aftercorr" for each in job.dependencies):
            return job.array_tasks or (None,)
        world, now = self.cluster.world, self.now
        ready = [task for task in job.array_tasks if not dependencies.reason(world, replace(job, array_task=task), now)]
        return tuple(ready) or job.array_tasks

    def place(self, job: Job, partition: PartitionConfiguration) -> Placement | None:
        """Nodes on which the job can start now without delaying a blocked one, or None."""
        fitting = self.candidates(job) & self.fitting(job) & ~self._promised(job)
        found = self.choose(job, fitting)
        if not found:
            return None
        chosen = self.places.names_of(found)
        cpus = tuple(self._cpus(job, name) for name in chosen)
        gpus = tuple(self._free_gpus(name)[: job.gpus_per_node] for name in chosen)
        return Placement(job.id, chosen, cpus, gpus, backfilled=partition.name in self.blocked)

    def _cpus(self, job: Job, name: str) -> int:
        """The CPUs that the job gets on a node: the lowest that are free, or all."""
        there = self.cluster.node(name).cpus
        return self.held_on(name).free_cpus(there if job.exclusive else job.cpus_per_node, there)

    def choose(self, job: Job, fitting: int) -> int:
        """The nodes to take of those that fit: the ones asked for first, then the best; 0 if they are too few."""
        for alternative in matching(job.features, self.places) if job.features else (-1,):
            usable = fitting & alternative
            asked = self.places.mask(job.requested_nodes) if job.requested_nodes else 0
            if asked & ~usable or usable.bit_count() < job.node_count:
                continue
            return asked | self.places.best(usable & ~asked, max(job.node_count - asked.bit_count(), 0))
        return 0

    def forecast(self, job: Job, partition: PartitionConfiguration) -> tuple[int, tuple[str, ...]] | None:
        """When and where the job can start if nobody else asks for anything, or None if it never can."""
        if placement := self.place(job, partition):
            return self.now, placement.nodes
        promise = backfill.earliest(self, job)
        return (promise.start, self.places.names_of(promise.mask)) if promise else None

    def fits(self, job: Job, name: str, held: Usage | None = None) -> bool:
        """Whether what the job asks of each node is free on this one (where jobs hold `held`)."""
        registered = self.cluster.record(name).registered_gpus
        return has_room(
            shape_of(job), self.cluster.node(name), self.held_on(name) if held is None else held, registered
        )

    def fitting(self, job: Job) -> int:
        """The nodes that have room, what this pass has started counted in."""
        shape = shape_of(job)
        mask, seen = self._fits.get(shape) or (self.places.fitting(self.cluster.world, self.ledger.usage, shape), 0)
        for name in self._touched[seen:]:
            bit = self.places.bits[name]
            mask = mask | bit if self.fits(job, name) else mask & ~bit
        self._fits[shape] = mask, len(self._touched)
        return mask

    def _tier(self, job: Job) -> int:
        partition = self.cluster.configuration.partition(job.partition)
        return partition.priority_tier if partition else 0

    def held_on(self, name: str) -> Usage:
        """What jobs hold on a node, those that this pass starts counted in."""
        found = self.changed.get(name) or self.ledger.usage.get(name)
        return Usage() if found is None else found

    def _free_gpus(self, name: str) -> tuple[int, ...]:
        registered = self.cluster.record(name).registered_gpus
        count = self.cluster.node(name).gpus
        return self.held_on(name).free_gpus(count if registered is None else min(count, registered))

    def candidates(self, job: Job) -> int:
        """Nodes that may be used at all."""
        mask = self._open_to(job) & self.places.available
        for reservation in self._in_the_way(job):
            mask &= ~self.places.mask(reservation.nodes)
        return mask

    def _open_to(self, job: Job) -> int:
        """The nodes of the job's partition and reservation that it does not shun."""
        mask = self.places.partition(job.partition)
        if job.excluded_nodes:
            mask &= ~self.places.mask(job.excluded_nodes)
        if len(job.requested_nodes) == job.node_count:
            mask &= self.places.mask(job.requested_nodes)
        if job.reservation:
            reservation = find(self.cluster.world, job.reservation)
            mask &= self.places.mask(reservation.nodes) if reservation else 0
        return mask

    def _in_the_way(self, job: Job) -> list[SlurmReservation]:
        if not self.cluster.world.slurm[""].reservations:
            return []
        return [
            each
            for each in in_the_way(self.cluster.world, job, self.now)
            if each.name != job.reservation and not (job.reservation and "MAINT" in each.flags)
        ]

    def _standing_reason(self, job: Job, partition: PartitionConfiguration, running: int) -> str:
        """Why the job cannot start whatever is free. `running` tasks of its array do."""
        if job.held_by_admin:
            return "ReservationDeleted" if job.reason == "ReservationDeleted" else "JobHeldAdmin"
        if job.held:
            return job.held_because or "JobHeldUser"
        task = next(iter(self._tasks(job)))
        if waits := dependencies.reason(self.cluster.world, replace(job, array_task=task) if task else job, self.now):
            return waits
        if job.begin is not None and job.begin > self.now:
            return "BeginTime"
        if job.array_limit and running >= job.array_limit:
            return "JobArrayTaskLimit"
        if partition.state in ("DOWN", "INACTIVE"):
            return "PartitionDown" if partition.state == "DOWN" else "PartitionInactive"
        if job.node_count > (
            len(partition.nodes) if partition.max_nodes is None else min(partition.max_nodes, len(partition.nodes))
        ):
            return "PartitionNodeLimit"
        if partition.max_time is not None and (not job.time_limit or job.time_limit > partition.max_time):
            return "PartitionTimeLimit"
        return limits.reason(self.held, job, partition) or self._reservation_reason(job)

    def _reservation_reason(self, job: Job) -> str:
        """Why the job's reservation does not take it now."""
        if not job.reservation:
            return ""
        reservation = find(self.cluster.world, job.reservation)
        if reservation is None:
            return "ReservationDeleted"
        if not may_use(reservation, job):
            return "ReqNodeNotAvail"
        fits = job.time_limit and self.now + job.time_limit <= reservation.end
        return "" if is_active(reservation, self.now) and fits else "Reservation"

    def _missing_nodes(self, job: Job, partition: PartitionConfiguration) -> str:
        """Whether the nodes that the job must have are there."""
        free = self.places.available
        asked = self.places.mask(job.requested_nodes) if job.requested_nodes else 0
        if asked & ~free:
            gone = (Base.DOWN, Base.UNKNOWN)
            names = self.places.names_of(asked & ~free)
            return unavailable([name for name in names if self.cluster.condition(name).base in gone])
        if reserved := self._reserved(job, asked):
            return reserved
        if partition.name in self.blocked:
            return ""
        if (self.places.partition(partition.name) & free).bit_count() < job.node_count:
            self._block(partition)
            return NODES_GONE
        return ""

    def _reserved(self, job: Job, asked: int) -> str:
        """Whether reservations leave the job too few of the nodes that there are."""
        ways = self._in_the_way(job)
        if not ways:
            return ""
        taken = 0
        for each in ways:
            taken |= self.places.mask(each.nodes)
        open_to = self._open_to(job) & self.places.available
        if not asked & taken and (open_to & ~taken).bit_count() >= job.node_count:
            return ""
        maintained = any("MAINT" in each.flags and self.places.mask(each.nodes) & open_to for each in ways)
        return MAINTENANCE if maintained else TAKEN

    def _wait(self, job: Job, partition: PartitionConfiguration) -> str:
        """The job waits for nodes: it gets those of others that it may drive out, or a promise. Its reason."""
        first = partition.name not in self.blocked
        if victims := preemption.victims(self, job, self.candidates(job)):
            self.decisions.evictions += [(victim, job.id) for victim in victims]
        self._block(partition)
        if self.depth is not None:
            return "Resources"
        if len(self.decisions.promises) < _PROMISES and (promise := backfill.earliest(self, job)):
            self.decisions.promises[job.id] = promise
        return "Resources" if first else "Priority"

    def _block(self, partition: PartitionConfiguration) -> None:
        """Later jobs on the same nodes wait for their turn; backfill may still start them."""
        members = self.places.partition(partition.name)
        for other in self.cluster.configuration.partitions:
            if other.name not in self.blocked and members & self.places.partition(other.name):
                self.blocked.add(other.name)
        self.blocked.add(partition.name)

    def _promised(self, job: Job) -> int:
        """The nodes on which the job would still be when a blocked one is to get them."""
        mask = 0
        for promise in self.decisions.promises.values():
            if not job.time_limit or self.now + job.time_limit > promise.start:
                mask |= promise.mask
        return mask

    def _start(self, job: Job, placement: Placement) -> None:
        self.decisions.starts.append(placement)
        self.held.take(job)
        allocated = placed(job, placement)
        self.starting.append(allocated)
        for index, name in enumerate(placement.nodes):
            if name not in self.changed:
                self.changed[name] = self.held_on(name).copy()
            self.changed[name].take(allocated, index)
        self._touched += placement.nodes


def placed(job: Job, placement: Placement) -> Job:
    """The job with its allocation."""
    return replace(job, nodes=placement.nodes, cpu_masks=placement.cpus, gpu_indices=placement.gpus)


def unavailable(gone: Iterable[str]) -> str:
    """The reason of a job whose nodes are not there: those that are down are named, drained ones are not."""
    names = list(gone)
    return f"ReqNodeNotAvail, UnavailableNodes:{fold(names)}" if names else TAKEN

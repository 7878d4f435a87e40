"""What users and operators do to jobs in the queue: cancel, hold, release, requeue, change.

Permissions and log lines from SchedMD/slurm 24.11 src/slurmctld/job_mgr.c and proc_req.c: one may change one's own
jobs, operators everybody's. Refusals are returned, not raised.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from engine.control.accounts import identity
from engine.control.slurm import (
    arrays,
    configuration,
    dependencies,
    jobs,
    lifecycle,
    limits,
    logs,
    priority,
    reservations,
)
from engine.control.slurm.errors import Refused, SlurmError
from engine.control.slurm.features import names as feature_names
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.records import Job
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class CancelJob(Action):
    """scancel: end a job, or with a signal other than KILL tell it (which the script of a batch job ignores)."""

    job: int
    by: str
    signal: int = 9
    tasks: tuple[int, ...] = ()

    def perform(self, simulation: Simulation[World]) -> SlurmError | None:
        meant = arrays.addressed(simulation.world, self.job, self.tasks)
        if not meant:
            return SlurmError.INVALID_JOB
        refusals = [self._cancel(simulation, each) for entry in meant for each in self._chosen(simulation, entry)]
        refused = [each for each in refusals if each is not None]
        over = [each for each in refused if each is not SlurmError.ALREADY_DONE]
        return over[0] if over else refused[0] if len(refused) == len(refusals) else None

    def _chosen(self, simulation: Simulation[World], entry: Job) -> list[Job]:
        """The record of an array as those of its tasks that are meant; any other job alone."""
        some = [task for task in entry.array_tasks if task in self.tasks]
        if not some or len(some) == len(entry.array_tasks):
            return [entry]
        may = jobs.may_change(simulation.world.inventory, entry, self.by)
        if not may:
            return [entry]
        return [arrays.split(simulation, jobs.active_job(simulation.world, entry.id), task) for task in some]

    def _cancel(self, simulation: Simulation[World], entry: Job) -> SlurmError | None:
        by = identity(simulation.world.inventory, self.by)
        logs.controller(simulation, f"_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId={entry.id} uid {by.uid}")
        if not jobs.may_change(simulation.world.inventory, entry, self.by):
            logs.controller(
                simulation, f"error: Security violation, REQUEST_KILL_JOB RPC for JobId={entry.id} from uid {by.uid}"
            )
            return SlurmError.ACCESS_DENIED
        if jobs.is_over(entry) or entry.completing:
            return SlurmError.ALREADY_DONE
        if self.signal not in (9, 15, 2):
            return None
        if entry.state == "RUNNING" and self.by != entry.user:
            lifecycle.record_killed(simulation, entry, "scancel")
        lifecycle.end(simulation, entry, "CANCELLED", signal=15 if entry.state == "RUNNING" else 0, by=by.uid)
        return None


@dataclass(frozen=True, slots=True)
class EndAllocation(Action):
    """salloc gives its nodes back: the job ends with the status of what it ran, which counts as well done."""

    job: int
    by: str
    status: int = 0

    def perform(self, simulation: Simulation[World]) -> SlurmError | None:
        entry = jobs.job(simulation.world, self.job)
        if entry is None or entry.state != "RUNNING":
            return SlurmError.ALREADY_DONE
        if not jobs.may_change(simulation.world.inventory, entry, self.by):
            return SlurmError.ACCESS_DENIED
        logs.controller(simulation, f"_job_complete: JobId={self.job} WEXITSTATUS {self.status}")
        lifecycle.end(simulation, entry, "COMPLETED", exit_code=0)
        logs.controller(simulation, f"_job_complete: JobId={self.job} done")
        return None


@dataclass(frozen=True, slots=True)
class HoldJob(Action):
    """scontrol hold, uhold and release. An operator's hold on another's job is one that only operators release."""

    job: int
    by: str
    release: bool = False
    user_hold: bool = False

    def perform(self, simulation: Simulation[World]) -> SlurmError | None:
        entry = jobs.job(simulation.world, self.job)
        if entry is None:
            return SlurmError.INVALID_JOB
        inventory = simulation.world.inventory
        if not jobs.may_change(inventory, entry, self.by):
            return SlurmError.USER_ID
        if jobs.is_over(entry):
            return SlurmError.ALREADY_DONE
        uid = identity(inventory, self.by).uid
        if self.release:
            if entry.held_by_admin and not jobs.is_operator(inventory, self.by):
                return SlurmError.ACCESS_DENIED
            lifecycle.put(simulation, self.job, held=False, held_by_admin=False, held_because="", reason="None")
            logs.controller(simulation, f"sched: _release_job_rec: release hold on JobId={self.job} by uid {uid}")
        else:
            by_admin = self.by != entry.user and not self.user_hold
            pending = {"reason": "JobHeldAdmin" if by_admin else "JobHeldUser"} if entry.state == "PENDING" else {}
            lifecycle.put(simulation, self.job, held=not by_admin, held_by_admin=by_admin, **pending)
            logs.controller(simulation, f"sched: _hold_job_rec: hold on JobId={self.job} by uid {uid}")
        lifecycle.look_soon(simulation)
        return None


@dataclass(frozen=True, slots=True)
class RequeueJob(Action):
    """scontrol requeue and requeuehold: a running batch job stops and waits again."""

    job: int
    by: str
    hold: bool = False

    def perform(self, simulation: Simulation[World]) -> SlurmError | None:
        entry = jobs.job(simulation.world, self.job)
        if entry is None:
            return SlurmError.INVALID_JOB
        if not jobs.may_change(simulation.world.inventory, entry, self.by):
            return SlurmError.ACCESS_DENIED
        if entry.interactive:
            return SlurmError.BATCH_ONLY
        if not entry.requeue:
            return SlurmError.DISABLED
        if entry.state != "RUNNING":
            return SlurmError.NOT_PENDING_NOR_RUNNING if jobs.is_over(entry) else None
        if self.by != entry.user:
            lifecycle.record_killed(simulation, entry, "scontrol requeue")
        logs.controller(simulation, f"_job_complete: requeue JobId={self.job} per user/system request")
        lifecycle.requeue(simulation, entry, "REQUEUED")
        if self.hold:
            lifecycle.put(simulation, self.job, held=True)
        return None


@dataclass(frozen=True, slots=True)
class UpdateJob(Action):
    """scontrol update jobid=: None leaves a field as it is. Times in ns."""

    job: int
    by: str
    name: str | None = None
    partition: str | None = None
    time_limit: int | None = None
    priority: int | None = None
    begin: int | None = None
    nodes: int | None = None
    node_list: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    requeue: bool | None = None
    comment: str | None = None
    dependency: str | None = None
    array_limit: int | None = None
    nice: int | None = None
    qos: str | None = None
    account: str | None = None
    reservation: str | None = None
    features: str | None = None

    def perform(self, simulation: Simulation[World]) -> SlurmError | None:
        entry = jobs.job(simulation.world, self.job)
        if entry is None:
            return SlurmError.INVALID_JOB
        if not jobs.may_change(simulation.world.inventory, entry, self.by):
            return SlurmError.ACCESS_DENIED
        if jobs.is_over(entry):
            return SlurmError.ALREADY_DONE
        if not jobs.is_operator(simulation.world.inventory, self.by) and self._needs_operator(entry):
            return SlurmError.ACCESS_DENIED
        try:
            changes = self._changes(simulation.world, entry)
        except Refused as refused:
            return refused.error
        entry = lifecycle.put(simulation, self.job, **changes)
        if entry.state == "PENDING" and not entry.fixed_priority:
            fresh = priority.fixed(simulation.world, entry, simulation.now)
            entry = lifecycle.put(simulation, self.job, priority=fresh)
        if entry.state == "RUNNING":
            lifecycle.schedule_end(simulation, entry)
        uid = identity(simulation.world.inventory, self.by).uid
        logs.controller(
            simulation,
            f"_slurm_rpc_update_job: complete JobId={self.job} uid={uid} usec={lifecycle.request_time(self.job)}",
        )
        lifecycle.look_soon(simulation)
        return None

    def _needs_operator(self, entry: Job) -> bool:
        """Whether the change gives the job more than users may: a priority, or more time than it has."""
        if self.priority is not None or (self.nice is not None and self.nice < entry.nice):
            return True
        limited = self.time_limit is not None and entry.time_limit > 0
        return limited and not 0 < (self.time_limit or 0) <= entry.time_limit

    def _changes(self, world: World, entry: Job) -> dict[str, Any]:
        changes: dict[str, Any] = {}
        for field in ("name", "time_limit", "priority", "requeue", "comment", "begin", "array_limit", "nice"):
            if (value := getattr(self, field)) is not None:
                changes[field] = value
        if self.priority is not None:
            changes["fixed_priority"] = True
        if any(value is not None for value in (self.qos, self.account, self.reservation, self.features)):
            changes |= self._charging(world, entry)
        if self.begin is not None:
            changes["eligible"] = self.begin
        if self.dependency is not None:
            changed = dependencies.dressed(entry, self.dependency)
            dependencies.check(world, changed)
            changes |= {"dependencies": changed.dependencies, "any_dependency": changed.any_dependency}
        placing = (self.partition, self.nodes, self.node_list, self.exclude)
        if any(value is not None for value in placing):
            if entry.state != "PENDING":
                raise Refused(SlurmError.NOT_PENDING)
            changes |= self._placing(world, entry)
        return changes

    def _charging(self, world: World, entry: Job) -> dict[str, Any]:
        """Another account, quality of service, reservation or constraint, if the job may have it."""
        names = ("qos", "account", "reservation", "features")
        changes = {name: value for name in names if (value := getattr(self, name)) is not None}
        if entry.state != "PENDING":
            raise Refused(SlurmError.NOT_PENDING)
        changed = replace(entry, **changes)
        limits.check(world, changed)
        reservations.check(world, changed)
        if not feature_names(changed.features) <= configuration.in_force(world).features:
            raise Refused(SlurmError.INVALID_FEATURE)
        return changes

    def _placing(self, world: World, entry: Job) -> dict[str, Any]:
        """What the change makes of where the job may run."""
        known = configuration.in_force(world)
        partition = known.partition(self.partition or entry.partition)
        if partition is None:
            raise Refused(SlurmError.INVALID_PARTITION)
        changed = replace(
            entry,
            partition=partition.name,
            node_count=self.nodes or entry.node_count,
            requested_nodes=entry.requested_nodes if self.node_list is None else self.node_list,
            excluded_nodes=entry.excluded_nodes if self.exclude is None else self.exclude,
        )
        if any(name not in known.nodes for name in (*changed.requested_nodes, *changed.excluded_nodes)):
            raise Refused(SlurmError.INVALID_NODE)
        return {
            name: getattr(changed, name) for name in ("partition", "node_count", "requested_nodes", "excluded_nodes")
        }

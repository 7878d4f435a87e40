"""slurmctld's looks at its queue, and what comes of them: starts, jobs that make room, reasons.

What happens to a job or a node calls for a look at the first jobs of the queue (default_queue_depth of
SchedulerParameters, 100); of a longer queue the whole comes up every half minute, as backfill does (bf_interval, 30 s).
Source: slurm.conf(5), SchedMD/slurm 24.11 src/slurmctld/job_scheduler.c; log lines of preemption from
src/slurmctld/job_mgr.c.
"""

from __future__ import annotations

import re

from engine.control.slurm import arrays, configuration, jobs, ledger, lifecycle, logs, preemption, priority
from engine.control.slurm.nodes import survey
from engine.control.slurm.scheduler import Decisions, Pass
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.records import Job
from engine.world.world import World

DEPTH = 100
INTERVAL = 30 * SECOND


def look(simulation: Simulation[World]) -> None:
    """One look: at all of the queue, or at its first jobs."""
    world, now = simulation.world, simulation.now
    _renew_priorities(simulation)
    before = world.slurm[""]
    waiting, depth = len(ledger.ledger(world).queue), _parameter(world, "default_queue_depth", DEPTH)
    whole = waiting <= depth or before.full_pass is None or now - before.full_pass >= INTERVAL
    decisions = Pass(survey(world), now, None if whole else depth).run()
    _apply(simulation, decisions)
    world.slurm.update(
        "", planned_nodes=decisions.planned if whole else before.planned_nodes, last_pass=now,
        full_pass=now if whole else before.full_pass, passes=before.passes + 1,
    )  # fmt: skip
    if not whole and before.full_pass is not None:
        lifecycle.look_soon(simulation, before.full_pass + INTERVAL - now)


def _parameter(world: World, name: str, default: int) -> int:
    """A number of SchedulerParameters."""
    match = re.search(rf"(?:^|,)\s*{name}=(\d{{1,9}})", configuration.in_force(world).text("SchedulerParameters"))
    return int(match[1]) if match else default


def _apply(simulation: Simulation[World], decisions: Decisions) -> None:
    world = simulation.world
    for placement in decisions.starts:
        job = jobs.active_job(world, placement.job)
        if placement.task is not None:
            job = arrays.split(simulation, job, placement.task)
        lifecycle.start(simulation, job, placement)
    for number, reason in decisions.reasons.items():
        if jobs.active_job(world, number).reason != reason:
            lifecycle.put(simulation, number, reason=reason, evaluated=simulation.now)
    for number, promise in decisions.promises.items():
        job = jobs.active_job(world, number)
        nodes = ledger.ledger(world).placing().names_of(promise.mask)
        if job.state == "PENDING" and (job.expected, job.scheduled_nodes) != (promise.start, nodes):
            lifecycle.put(simulation, number, expected=promise.start, scheduled_nodes=nodes)
    for victim, importance in decisions.evictions:
        _evict(simulation, jobs.active_job(world, victim), importance)


def _evict(simulation: Simulation[World], victim: Job, importance: int) -> None:
    """A job must make room for the job `importance`: now, or when its grace is over."""
    if victim.state != "RUNNING" or victim.preempted_at is not None:
        return
    known = configuration.in_force(simulation.world)
    how = preemption.mode(simulation.world, known, victim)
    end = "requeued" if how == "REQUEUE" and victim.requeue and not victim.interactive else "killed"
    logs.controller(
        simulation, f"preempted JobId={victim.id} has been {end} to reclaim resources for JobId={importance}"
    )
    grace = preemption.grace(simulation.world, known, victim)
    entry = lifecycle.put(simulation, victim.id, preempted_at=simulation.now + grace)
    if grace:
        lifecycle.schedule_end(simulation, entry)
    else:
        make_room(simulation, entry)


def make_room(simulation: Simulation[World], job: Job) -> None:
    """A job goes for one of more importance: back to the queue, or for good."""
    how = preemption.mode(simulation.world, configuration.in_force(simulation.world), job)
    if how == "REQUEUE" and job.requeue and not job.interactive:
        lifecycle.requeue(simulation, job, "PREEMPTED")
    else:
        lifecycle.end(simulation, job, "PREEMPTED", signal=15)


def _renew_priorities(simulation: Simulation[World]) -> None:
    """Every PriorityCalcPeriod what everybody has used changes the priorities of jobs that wait, if it counts."""
    world, now = simulation.world, simulation.now
    if not priority.weight(configuration.in_force(world), "Fairshare"):
        return
    period = priority.CALCULATION_PERIOD
    last = world.slurm[""].last_pass
    if last is not None and last // period == now // period:
        return
    shares = priority.tree(world, now)
    for _, number in tuple(ledger.ledger(world).queue):
        job = jobs.active_job(world, number)
        if not job.fixed_priority:
            lifecycle.put(simulation, number, priority=priority.fixed(world, job, now, shares))

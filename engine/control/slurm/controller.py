"""slurmctld at work: what it hears of nodes, services and processes, its looks at the queue, and the jobs under way
when a site opens.
"""

from __future__ import annotations

import shlex
from dataclasses import replace

from engine.control import munge
from engine.control.slurm import (
    accounting,
    administration,
    charge,
    configuration,
    failover,
    jobs,
    ledger,
    lifecycle,
    logs,
    looks,
    registration,
    reservations,
    scripts,
    workload,
)
from engine.control.slurm.nodes import survey
from engine.control.slurm.request import Wanted, resolve
from engine.control.slurm.scheduler import Pass, placed
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.events import (
    HostClockStepped,
    JobCleanedUp,
    JobEnds,
    NodeSilent,
    NodeStopping,
    ProcessesEnded,
    SchedulerDue,
    ServiceChanged,
)
from engine.world.inventory import StandingJob
from engine.world.records import BootPhase, Job
from engine.world.slurm_events import BackupDue, ContactDue
from engine.world.world import World

Sim = Simulation[World]
_DATABASE_DAEMON, _DATABASE_PORT = "slurmdbd", 6819
# What the script ends with: torchrun gives 1, a shell 128 and the signal.
_EXITS = {"gpu_lost": 1, "gpu_error": 1, "killed": 137}


def start_standing_jobs(simulation: Sim) -> None:
    """Put the site's standing jobs into slurmctld's hands as running since before the site's start."""
    inventory = simulation.world.inventory
    if not inventory.partitions:
        return
    numbers = accounting.standing_numbers(inventory, simulation.seed)
    simulation.world.slurm.update("", next_job=accounting.next_number(inventory, simulation.seed))
    for number, standing in sorted(zip(numbers, inventory.standing_jobs, strict=True), key=lambda entry: entry[0]):
        if standing.waits_for:
            _queue_standing(simulation, number, standing)
        else:
            _start_standing(simulation, number, standing)
    if any(standing.waits_for for standing in inventory.standing_jobs):
        look_at_queue(simulation, SchedulerDue())


def look_at_queue(simulation: Sim, event: SchedulerDue) -> None:
    """One pass: reboots that are due, starts, jobs that must make room, and the reasons of those that wait."""
    del event
    world = simulation.world
    world.slurm.update("", pass_due=None)
    if not registration.controller_runs(world):
        return
    reservations.refresh(simulation)
    administration.issue_reboots(simulation, survey(world))
    looks.look(simulation)


def job_ends(simulation: Sim, event: JobEnds) -> None:
    """The work of a job is done, or its time is over."""
    job = jobs.job(simulation.world, event.job)
    if (
        job is None
        or job.state != "RUNNING"
        or job.started != event.started
        or not registration.controller_runs(simulation.world)
    ):
        return
    due = lifecycle.end_time(job)
    if due is None or simulation.now < due:
        return
    if job.preempted_at is not None and simulation.now >= job.preempted_at:
        looks.make_room(simulation, job)
    elif job.time_limit and simulation.now >= event.started + job.time_limit:
        logs.controller(simulation, f"Time limit exhausted for JobId={job.id}")
        lifecycle.end(simulation, job, "TIMEOUT", signal=15, reason="TimeLimit")
    elif all(simulation.world.nodes[name].phase is BootPhase.RUNNING for name in job.nodes):
        lifecycle.complete(simulation, job, 0)


def processes_ended(simulation: Sim, event: ProcessesEnded) -> None:
    """A process of a batch job died: the whole job fails, as srun and torchrun make it. Of a step that somebody
    started by hand srun decides that.
    """
    if event.why not in _EXITS or not registration.is_running(simulation.world, event.host, logs.SLURMD):
        return
    for number in event.jobs:
        job = jobs.job(simulation.world, number)
        if job is None or job.interactive or scripts.begun(simulation.world, number):
            continue  # who runs its commands hears of it
        if job.state == "RUNNING":
            failed = lifecycle.put(simulation, number, failed_node=event.host)
            lifecycle.complete(simulation, failed, _EXITS[event.why])


def node_stops(simulation: Sim, event: NodeStopping) -> None:
    """A node goes down: its slurmd falls silent, and the jobs on it are lost."""
    world = simulation.world
    if event.node in configuration.in_force(world).nodes:
        registration.fall_silent(simulation, event.node, event.cause)
    elif event.node in charge.hosts(world):
        failover.controller_changed(simulation, event.node, False)


def service_changed(simulation: Sim, event: ServiceChanged) -> None:
    """slurmd or slurmctld started or stopped, by hand or in a boot."""
    world, unit = simulation.world, event.unit.removesuffix(".service")
    if unit == logs.SLURMD and event.host in configuration.in_force(world).nodes:
        if not event.active:
            registration.fall_silent(simulation, event.host, registration.STOPPED)
        elif registration.is_running(world, event.host, logs.SLURMD):
            registration.start_slurmd(simulation, event.host)
    elif unit == logs.SLURMCTLD and event.host in charge.hosts(world):
        failover.controller_changed(simulation, event.host, event.active)
    elif unit == _DATABASE_DAEMON and not event.active and charge.runs(world):
        where = f"{event.host}:{_DATABASE_PORT}: Connection refused"
        what = "slurm_persist_conn_open_without_init: failed to open persistent connection to host"
        logs.controller(simulation, f"error: {what}:{where}")
        logs.controller(simulation, "error: Sending PersistInit msg: Connection refused")
    elif unit == munge.SERVICE and world.inventory.partitions:
        registration.contact_changed(simulation, event.host)


def clock_stepped(simulation: Sim, event: HostClockStepped) -> None:
    """A clock was set: credentials may have become good, or too old."""
    if simulation.world.inventory.partitions:
        registration.contact_changed(simulation, event.host)


def _start_standing(simulation: Sim, number: int, standing: StandingJob) -> None:
    """One standing job: resolved like any other, placed on its nodes, its processes started when it was."""
    world = simulation.world
    job = resolve(
        configuration.in_force(world),
        _wanted(standing),
        _standing_record(simulation, number, standing),
        world.inventory,
    )
    look = Pass(survey(world), -standing.started_before)
    partition = look.cluster.configuration.partition(job.partition)
    assert partition is not None
    placement = look.place(job, partition)
    if placement is None:
        return
    since = -standing.started_before
    started = placed(replace(job, state="RUNNING", started=since, requested_nodes=()), placement)
    ledger.enter(world, started)
    controller = world.slurm[""]
    world.slurm.update("", active_jobs=tuple(sorted((*controller.active_jobs, number))))
    lifecycle.launch(simulation, started)
    lifecycle.schedule_end(simulation, jobs.active_job(world, number))


def _queue_standing(simulation: Sim, number: int, standing: StandingJob) -> None:
    """A job that waits since before the site opened."""
    world, submitted = simulation.world, -standing.started_before
    record = replace(
        _standing_record(simulation, number, standing),
        submitted=submitted,
        eligible=submitted,
        evaluated=simulation.now,
    )
    ledger.enter(world, resolve(configuration.in_force(world), _wanted(standing), record, world.inventory))
    world.slurm.update("", active_jobs=tuple(sorted((*world.slurm[""].active_jobs, number))))


def _wanted(standing: StandingJob) -> Wanted:
    return Wanted(
        partition=standing.partition,
        nodes=standing.waits_for or len(standing.nodes),
        tasks_per_node=standing.gpus_per_node or 1,
        gpus_per_node=standing.gpus_per_node,
        gpu_request=f"gres/gpu:{standing.gpus_per_node}" if standing.gpus_per_node else "",
        time_limit=standing.time_limit,
        node_list=standing.nodes,
    )


def _standing_record(simulation: Sim, number: int, standing: StandingJob) -> Job:
    inventory = simulation.world.inventory
    stream = simulation.stream(f"slurm/standing/{number}")
    submitted = -standing.started_before - stream.integer(2, 900) * SECOND
    directory = f"/home/{standing.user}/{standing.name}"
    lasts = standing.time_limit * stream.integer(600, 950) // 1000
    return replace(
        _named(standing), id=number, submitted=submitted, eligible=submitted, evaluated=-standing.started_before,
        script=_script(standing), duration=lasts, command=f"{directory}/{standing.name}.sbatch",
        working_directory=directory,
        submit_host=inventory.login_host, submit_line=f"sbatch {standing.name}.sbatch",
        session=stream.integer(2_000, 90_000),
    )  # fmt: skip


def _script(standing: StandingJob) -> str:
    """The batch script of a standing job."""
    exports = [f"export {name}={shlex.quote(value)}" for name, value in standing.variables]
    options = [f"--{name} {value}" for name, value in standing.options]
    work = " ".join(["srun", workload.rank_command(_named(standing))[0], *options])
    return "\n".join(["#!/bin/bash", f"#SBATCH --job-name={standing.name}", *exports, work]) + "\n"


def _named(standing: StandingJob) -> Job:
    return Job(
        id=0, name=standing.name, user=standing.user, partition=standing.partition, node_count=1, gpus_per_node=0,
        cpus_per_task=1, tasks_per_node=0, memory_mib=0, time_limit=0, submitted=0, workload=standing.workload,
    )  # fmt: skip


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (SchedulerDue, look_at_queue),
    (JobEnds, job_ends),
    (JobCleanedUp, registration.give_up_killing),
    (JobCleanedUp, lifecycle.clean_up),
    (ProcessesEnded, processes_ended),
    (NodeStopping, node_stops),
    (NodeSilent, registration.silence_noticed),
    (ServiceChanged, service_changed),
    (HostClockStepped, clock_stepped),
    (BackupDue, failover.backup_due),
    (ContactDue, registration.contact_due),
)

"""slurmctld at work: what it hears of nodes, services and processes, its looks at the queue, and the jobs under way
when a site opens.
"""

from __future__ import annotations

import shlex
from dataclasses import replace

from engine.control.slurm import (
    accounting,
    administration,
    configuration,
    jobs,
    lifecycle,
    logs,
    registration,
    scripts,
    workload,
)
from engine.control.slurm.files import controller_host
from engine.control.slurm.nodes import survey
from engine.control.slurm.request import Wanted, resolve
from engine.control.slurm.scheduler import Pass, placed
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.events import (
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
from engine.world.world import World

Sim = Simulation[World]
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
    """One pass: reboots that are due, starts, and the reasons of those that wait."""
    del event
    simulation.world.slurm.update("", pass_due=None)
    if not registration.controller_runs(simulation.world):
        return
    administration.issue_reboots(simulation, survey(simulation.world))
    decisions = Pass(survey(simulation.world), simulation.now).run()
    for placement in decisions.starts:
        lifecycle.start(simulation, jobs.active_job(simulation.world, placement.job), placement)
    for job_id, reason in decisions.reasons.items():
        lifecycle.put(simulation, job_id, reason=reason, evaluated=simulation.now)
    simulation.world.slurm.update("", planned_nodes=decisions.planned)


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
    if job.time_limit and simulation.now >= event.started + job.time_limit:
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


def service_changed(simulation: Sim, event: ServiceChanged) -> None:
    """slurmd or slurmctld started or stopped, by hand or in a boot."""
    world, unit = simulation.world, event.unit.removesuffix(".service")
    if unit == logs.SLURMD and event.host in configuration.in_force(world).nodes:
        if not event.active:
            registration.fall_silent(simulation, event.host, "slurmd stopped")
        elif registration.is_running(world, event.host, logs.SLURMD):
            registration.start_slurmd(simulation, event.host)
    elif (
        unit == logs.SLURMCTLD
        and event.host == controller_host(world.inventory)
        and registration.controller_runs(world)
    ):
        controller_starts(simulation)


def controller_starts(simulation: Sim) -> None:
    """slurmctld starts: it reads its files, hears from the nodes, and catches up with what ended meanwhile."""
    world = simulation.world
    texts = configuration.on_host(world, controller_host(world.inventory))
    world.slurm.update("", configuration=texts)
    logs.controller(simulation, "Running as primary controller")
    for name in configuration.in_force(world).nodes:
        record = world.slurm_nodes[name]
        if registration.is_running(world, name, logs.SLURMD):
            if record.silent_since is not None or record.registered_gpus is not None:
                registration.register(simulation, name, _found(simulation, name))
        else:
            world.slurm_nodes.update(name, responding=False, unknown=not record.down)
            registration.await_timeout(simulation, name)
    for job in jobs.active(world):
        if job.state == "RUNNING":
            lifecycle.schedule_end(simulation, job)
    lifecycle.look_soon(simulation)


def _found(simulation: Sim, name: str) -> int:
    """What the slurmd that runs on a node has found; it does not look again because slurmctld asks."""
    record = simulation.world.slurm_nodes[name]
    return (
        configuration.in_force(simulation.world).nodes[name].gpus
        if record.registered_gpus is None
        else record.registered_gpus
    )


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
    world.jobs[str(number)] = started
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
    world.jobs[str(number)] = resolve(configuration.in_force(world), _wanted(standing), record, world.inventory)
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
)

"""The life of a job once the controller has decided: started on its nodes, ended, cleaned up, or sent back to the
queue.

Log lines as slurmctld 24.11 writes them at level info (src/slurmctld/job_mgr.c, job_scheduler.c;
src/slurmd/slurmd/req.c).
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from engine.control import harm, processes
from engine.control.accounts import identity
from engine.control.slurm import (
    contact,
    dependencies,
    job_output,
    jobs,
    ledger,
    logs,
    node_scripts,
    script,
    scripts,
    workload,
)
from engine.kernel.hostlist import fold
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.load import bound_gpus
from engine.world.events import GpuLoadChanged, JobCleanedUp, JobEnds, JobLaunched, JobRunOver, SchedulerDue
from engine.world.records import BusState, Job, JobRun, JobStep
from engine.world.slurm_events import NodeScriptFailed
from engine.world.world import World

if TYPE_CHECKING:
    from engine.control.slurm.scheduler import Placement

CLEAN_UP = 2 * SECOND  # slurmd ends what is left of the job and runs the epilog; a guess for nodes without one
UNKILLABLE = 90 * SECOND
"""KillWait, and UnkillableStepTimeout after it, as slurm.conf has them."""

# slurmctld batches what calls for a look at the queue (sched_min_interval and batch_sched_delay in small).
PASS_DELAY = 1 * SECOND

_SIGNALLED = 128  # a shell's exit code for a command that died of a signal, less the signal

# The credential's lifetime and a second, before a requeued job may start again (batch_requeue_fini).
REQUEUE_DELAY = 121 * SECOND


def put(simulation: Simulation[World], job_id: int, **changes: Any) -> Job:
    """Change fields of a job."""
    return ledger.put(simulation.world, job_id, **changes)


def look_soon(simulation: Simulation[World], delay: int = PASS_DELAY) -> None:
    """Let slurmctld look at its queue, unless it is about to."""
    table, due = simulation.world.slurm, simulation.now + delay
    known = table[""].pass_due
    if known is None or known > due or known < simulation.now:
        table.update("", pass_due=due)
        simulation.schedule(SchedulerDue(), delay)


def start(simulation: Simulation[World], job: Job, placement: Placement) -> Job:
    """The job gets its nodes; batch jobs and standing work launch there."""
    duration = job.duration
    if duration is None and not job.interactive:
        duration = workload.drawn_duration(simulation.world, job)
    entry = put(
        simulation, job.id, state="RUNNING", reason="None", started=simulation.now, evaluated=simulation.now,
        nodes=placement.nodes, cpu_masks=placement.cpus, gpu_indices=placement.gpus, backfilled=placement.backfilled,
        priority=jobs.priority(simulation.world, job, simulation.now), begin=None, failed_node="", duration=duration,
        expected=None, scheduled_nodes=(), **_whole_nodes(job, placement),
    )  # fmt: skip
    _log_start(simulation, entry)
    dependencies.begun(simulation, entry)
    if _prepare(simulation, entry) and not entry.interactive:
        entry = launch_script(simulation, entry)
    schedule_end(simulation, entry)
    return entry


def _prepare(simulation: Simulation[World], job: Job) -> bool:
    """Let the job's nodes run their prolog. Whether its batch script can be launched at once: else it waits for that,
    or for a slurmd that does not answer.
    """
    for name in job.nodes:
        if broken := node_scripts.order(simulation, node_scripts.PROLOG, name, job):
            simulation.schedule(NodeScriptFailed(node_scripts.PROLOG, name, job.id, broken[0]), 0)
    world = simulation.world
    waits = bool(node_scripts.pending(world, node_scripts.PROLOG, job.id))
    if waits or (not job.interactive and contact.from_controller(world, job.nodes[0], simulation.now) is not None):
        world.slurm.update("", unlaunched=(*world.slurm[""].unlaunched, job.id))
        return False
    return True


def _whole_nodes(job: Job, placement: Placement) -> dict[str, Any]:
    """An exclusive job gets all CPUs of its nodes, however many it asked for."""
    return {"cpus_per_node": max(mask.bit_count() for mask in placement.cpus)} if job.exclusive else {}


def launch_script(simulation: Simulation[World], job: Job) -> Job:
    """slurmd of the first node launches the batch script."""
    uid = identity(simulation.world.inventory, job.user).uid
    logs.write(simulation, job.nodes[0], logs.SLURMD, f"Launching batch job {job.id} for UID {uid}")
    launch(simulation, job)
    return jobs.active_job(simulation.world, job.id)


def launch_waiting(simulation: Simulation[World], number: int) -> None:
    """Launch a job that waited for its prologs or for its slurmd, if there is nothing left to wait for."""
    world, job = simulation.world, jobs.job(simulation.world, number)
    if number not in world.slurm[""].unlaunched or job is None or job.state != "RUNNING":
        return
    if node_scripts.pending(world, node_scripts.PROLOG, number):
        return
    if job.interactive or contact.from_controller(world, job.nodes[0], simulation.now) is None:
        node_scripts.withdraw(simulation, number)
        if not job.interactive:
            launch_script(simulation, job)


def launch(simulation: Simulation[World], job: Job) -> None:
    """Start the processes of a batch job: the script on its first node, and one process for each GPU that works."""
    assert job.started is not None
    command, memory = workload.rank_command(job)
    batch_script = f"/bin/bash /var/spool/slurmd/job{job.id:05d}/slurm_script"
    variables = script.exports(job.script)
    for name, gpus in zip(job.nodes, job.gpu_indices, strict=True):
        step = "batch" if name == job.nodes[0] else "0"
        parent = _start(simulation, name, job, f"slurmstepd: [{job.id}.{step}]", user="root")
        if step == "batch":
            parent = _start(simulation, name, job, batch_script, parent=parent)
        ranks = [] if scripts.wants_shell(job) else device_indices(simulation.world, name, gpus)
        rank: dict[str, Any] = {
            "parent": parent, "gpu_memory": memory, "workload": job.workload, "alone": False, "environment": variables,
        }  # fmt: skip
        for gpu in ranks:
            _start(simulation, name, job, command, gpus=(gpu,), **rank)
        if ranks:
            simulation.publish(GpuLoadChanged(name))
    batch = JobStep("batch", "batch", job.nodes[:1], 1, job.started)
    work = JobStep("0", command.split()[0], job.nodes, max(job.task_count, 1), job.started)
    put(simulation, job.id, steps=(batch, work) if job.workload != "script" else (batch,))
    job_output.open_at_start(simulation, job)
    if scripts.wants_shell(job):
        scripts.offer(simulation, job)
    simulation.publish(JobLaunched(job.id))


def _start(simulation: Simulation[World], host: str, job: Job, command: str, **properties: Any) -> int:
    return processes.start(
        simulation, host, command=command, job=job.id, started=job.started, **({"user": job.user} | properties)
    )


def end(
    simulation: Simulation[World],
    job: Job,
    state: str,
    *,
    exit_code: int = 0,
    signal: int = 0,
    reason: str = "None",
    by: int | None = None,
) -> Job:
    """The job is over: what is left of it is cleaned up, and the queue gets a look."""
    entry = put(
        simulation, job.id, state=state, reason=reason, exit_code=exit_code, signal=signal, ended=simulation.now,
        cancelled_by=by, completing=bool(job.nodes) and job.state == "RUNNING",
        steps=_ended_steps(job, simulation.now, state, exit_code, signal),
    )  # fmt: skip
    if job.state == "RUNNING":
        simulation.publish(JobRunOver(job.id))
        _leave_nodes(simulation, entry)
        if not entry.interactive and job.id not in simulation.world.slurm[""].unlaunched:
            job_output.write_at_end(simulation, entry)
        scripts.withdraw(simulation, job.id)
        node_scripts.withdraw(simulation, job.id)
    else:
        _forget(simulation, entry.id)
    look_soon(simulation)
    return entry


def complete(simulation: Simulation[World], job: Job, exit_code: int) -> None:
    """The batch script has ended with `exit_code`: the job completes, or fails."""
    logs.controller(simulation, f"_job_complete: JobId={job.id} WEXITSTATUS {exit_code}")
    state, reason = ("FAILED", "NonZeroExitCode") if exit_code else ("COMPLETED", "None")
    end(simulation, job, state, exit_code=exit_code, reason=reason)
    logs.controller(simulation, f"_job_complete: JobId={job.id} done")


def set_duration(simulation: Simulation[World], job_id: int, duration: int | None) -> None:
    """The work of a running job will have taken `duration` ns when it is done (None: nobody knows)."""
    schedule_end(simulation, put(simulation, job_id, duration=duration))


def guess_duration(simulation: Simulation[World], job_id: int) -> None:
    """How long the work of a running job takes follows from the words of its script, or is drawn."""
    job = jobs.active_job(simulation.world, job_id)
    known = workload.read_script(job.script).duration
    set_duration(simulation, job_id, known or workload.drawn_duration(simulation.world, job))


def clean_up(simulation: Simulation[World], event: JobCleanedUp) -> None:
    """The nodes of an ended job are free again; a requeued job becomes a new one in the queue."""
    job = jobs.job(simulation.world, event.job)
    if job is None or not job.completing or event.ended not in (job.ended, _last_run_end(job)):
        return
    for name in job.nodes:
        if contact.from_controller(simulation.world, name, simulation.now) is not None:
            continue
        if broken := node_scripts.order(simulation, node_scripts.EPILOG, name, job):
            simulation.schedule(NodeScriptFailed(node_scripts.EPILOG, name, job.id, broken[0]), 0)
    if not node_scripts.pending(simulation.world, node_scripts.EPILOG, job.id):
        finish(simulation, job)


def finish(simulation: Simulation[World], job: Job) -> None:
    """All nodes of an ended job are done with it, epilogs included."""
    if job.state == "PENDING":
        _back_in_queue(simulation, job)
    else:
        put(simulation, job.id, completing=False)
        _forget(simulation, job.id)
    for name in job.nodes:
        simulation.world.slurm_nodes.update(name, last_busy=simulation.now)
    look_soon(simulation)


def lose_node(simulation: Simulation[World], job: Job, node: str) -> None:
    """slurmctld takes a node from a running job: batch jobs go back to the queue (JobRequeue=1), others fail."""
    if not job.requeue or job.interactive:
        logs.controller(simulation, f"Killing JobId={job.id} on failed node {node}")
        put(simulation, job.id, failed_node=node)
        end(simulation, jobs.active_job(simulation.world, job.id), "NODE_FAIL", exit_code=1, reason="NodeDown")
        return
    logs.controller(simulation, f"requeue job JobId={job.id} due to failure of node {node}")
    requeue(simulation, job, "NODE_FAIL", exit_code=1)


def requeue(simulation: Simulation[World], job: Job, state: str, exit_code: int = 0) -> None:
    """The run ends with `state` in the accounting and the job waits again."""
    assert job.started is not None
    run = JobRun(state, job.submitted, job.started, simulation.now, job.nodes, exit_code)
    simulation.publish(JobRunOver(job.id))
    if job.id not in simulation.world.slurm[""].unlaunched:
        job_output.write_at_end(simulation, replace(job, state=state, ended=simulation.now))
    scripts.withdraw(simulation, job.id)
    node_scripts.withdraw(simulation, job.id)
    entry = put(
        simulation, job.id, state="PENDING", reason="None", completing=True, earlier_runs=(*job.earlier_runs, run),
        restarts=job.restarts + 1, started=None, ended=None, steps=(), preempted_at=None,
    )  # fmt: skip
    _leave_nodes(simulation, entry)


def record_killed(simulation: Simulation[World], job: Job, cause: str) -> None:
    """An operator's act kills somebody's running job: note the harm."""
    harm.record(simulation, "job_killed", f"job {job.id} ({job.name}) of {job.user} on {fold(job.nodes)}", cause)


def _leave_nodes(simulation: Simulation[World], job: Job) -> None:
    """End what still runs for the job; the nodes are done with it a moment later, or when slurmd gives up on what
    cannot be killed.
    """
    if any(step.id == "batch" for step in job.steps):
        logs.write(simulation, job.nodes[0], logs.SLURMD, f"[{job.id}.batch] done with job")
    for name in job.nodes:
        processes.end_job(simulation, name, job.id)
    ended = job.ended if job.ended is not None else _last_run_end(job)
    stuck = any(processes.unkillable(simulation.world, name) for name in job.nodes)
    simulation.schedule(JobCleanedUp(job.id, ended), UNKILLABLE if stuck else CLEAN_UP)


def _last_run_end(job: Job) -> int:
    return job.earlier_runs[-1].ended if job.earlier_runs else -1


def _back_in_queue(simulation: Simulation[World], job: Job) -> None:
    logs.controller(simulation, f"Requeuing JobId={job.id}")
    begin = simulation.now + REQUEUE_DELAY
    put(
        simulation, job.id, completing=False, nodes=(), cpu_masks=(), gpu_indices=(), submitted=simulation.now,
        eligible=begin, begin=begin, reason="BeginTime", backfilled=False,
    )  # fmt: skip
    simulation.schedule(SchedulerDue(), REQUEUE_DELAY)


def _forget(simulation: Simulation[World], job_id: int) -> None:
    """The job leaves the list of those that slurmctld works on."""
    table = simulation.world.slurm
    active = table[""].active_jobs
    at = bisect_left(active, job_id)
    if active[at : at + 1] == (job_id,):
        table.update("", active_jobs=active[:at] + active[at + 1 :])


def device_indices(world: World, host: str, gpus: tuple[int, ...]) -> list[int]:
    """nvidia-smi's indices of Slurm's GPUs on a host: those that answer, in order, when slurmd found fewer than the
    driver has.
    """
    bound = bound_gpus(world, host)
    registered = world.slurm_nodes[host].registered_gpus
    if registered is None or registered >= len(bound):
        return list(gpus)
    answering = [index for index, gpu in enumerate(bound) if world.gpus[gpu.id].bus is BusState.PRESENT]
    return [answering[gpu] for gpu in gpus if gpu < len(answering)]


def schedule_end(simulation: Simulation[World], job: Job) -> None:
    """Let a running job end when it must."""
    due = end_time(job)
    if due is not None and job.started is not None:
        simulation.schedule_at(JobEnds(job.id, job.started), max(due, simulation.now))


def end_time(job: Job) -> int | None:
    """When the work of a running job is done or its time is over, whichever comes first; None for never.

    Interactive jobs end with their command.
    """
    assert job.started is not None
    ends = [job.started + time for time in (job.duration, job.time_limit) if time]
    return min([*ends, *([] if job.preempted_at is None else [job.preempted_at])], default=None)


def _ended_steps(job: Job, now: int, state: str, exit_code: int, signal: int) -> tuple[JobStep, ...]:
    """Steps that still ran end with the job; those that were stopped count as cancelled. Tasks of srun that died of a
    signal show it where the script, which has srun's exit code, shows 128 and the signal.
    """
    stopped = state in ("CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED")

    def ended(step: JobStep) -> JobStep:
        if stopped:
            return replace(step, ended=now, state="CANCELLED", signal=15)
        if step.id.isdigit() and exit_code > _SIGNALLED:
            return replace(step, ended=now, state=state, signal=exit_code - _SIGNALLED)
        return replace(step, ended=now, state=state, exit_code=exit_code, signal=signal)

    return tuple(ended(step) if step.ended is None else step for step in job.steps)


def _log_start(simulation: Simulation[World], job: Job) -> None:
    nodes, cpus = fold(job.nodes), jobs.total_cpus(job)
    if job.backfilled:
        text = f"sched/backfill: _start_job: Started JobId={job.id} in {job.partition} on {nodes}"
    elif job.interactive:
        text = f"sched: _slurm_rpc_allocate_resources JobId={job.id} NodeList={nodes} usec={request_time(job.id)}"
    else:
        text = f"sched: Allocate JobId={job.id} NodeList={nodes} #CPUs={cpus} Partition={job.partition}"
    logs.controller(simulation, text)


def request_time(job_id: int) -> int:
    """How long the request took, which the log tells and nobody reads."""
    return 300 + job_id * 7919 % 700

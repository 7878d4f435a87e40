"""The life of a job once the controller has decided: started on its nodes, ended, cleaned up, or sent back to the
queue.

Log lines as slurmctld 24.11 writes them at level info (src/slurmctld/job_mgr.c, job_scheduler.c;
src/slurmd/slurmd/req.c).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from engine.control import files as host_files
from engine.control import harm, processes
from engine.control.accounts import identity
from engine.control.slurm import dependencies, files, jobs, logs, script, scripts, workload
from engine.control.slurm.scheduler import Placement
from engine.kernel.hostlist import fold
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.load import bound_gpus
from engine.world.events import GpuLoadChanged, JobCleanedUp, JobEnds, JobLaunched, JobRunOver, SchedulerDue
from engine.world.records import BusState, Job, JobRun, JobStep, WrittenFile, WrittenFiles
from engine.world.world import World

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
    return simulation.world.jobs.update(str(job_id), **changes)


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
        priority=jobs.priority(job, simulation.now), begin=None, failed_node="", duration=duration,
    )  # fmt: skip
    _log_start(simulation, entry)
    dependencies.begun(simulation, entry)
    if not entry.interactive:
        uid = identity(simulation.world.inventory, entry.user).uid
        logs.write(simulation, entry.nodes[0], logs.SLURMD, f"Launching batch job {entry.id} for UID {uid}")
        launch(simulation, entry)
        entry = jobs.active_job(simulation.world, entry.id)
    schedule_end(simulation, entry)
    return entry


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
    _open_output(simulation, job)
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
        if not entry.interactive:
            _write_output(simulation, entry)
        scripts.withdraw(simulation, job.id)
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
    _write_output(simulation, replace(job, state=state, ended=simulation.now))
    scripts.withdraw(simulation, job.id)
    entry = put(
        simulation, job.id, state="PENDING", reason="None", completing=True, earlier_runs=(*job.earlier_runs, run),
        restarts=job.restarts + 1, started=None, ended=None, steps=(),
    )  # fmt: skip
    _leave_nodes(simulation, entry)


def record_killed(simulation: Simulation[World], job: Job, cause: str) -> None:
    """An operator's act kills somebody's running job: note the harm."""
    harm.record(simulation, "job_killed", f"job {job.id} ({job.name}) of {job.user} on {fold(job.nodes)}", cause)


def _leave_nodes(simulation: Simulation[World], job: Job) -> None:
    """End what still runs for the job; the nodes are done with it a moment later, or when slurmd gives up on what
    cannot be killed.
    """
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
    table.update("", active_jobs=tuple(number for number in table[""].active_jobs if number != job_id))


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
    lasts = [time for time in (job.duration, job.time_limit) if time]
    return job.started + min(lasts) if lasts else None


def _ended_steps(job: Job, now: int, state: str, exit_code: int, signal: int) -> tuple[JobStep, ...]:
    """Steps that still ran end with the job; those that were stopped count as cancelled. Tasks of srun that died of a
    signal show it where the script, which has srun's exit code, shows 128 and the signal.
    """
    stopped = state in ("CANCELLED", "TIMEOUT", "NODE_FAIL")

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


def _open_output(simulation: Simulation[World], job: Job) -> None:
    """A batch job that tells how its work goes on writes its output file all the time."""
    sources = workload.live_files(job)
    if sources:
        _put_files(simulation, job, dict.fromkeys(sources, b""), job.started or 0, sources)


def _write_output(simulation: Simulation[World], job: Job) -> None:
    """The output file of a batch job as it stands at its end; one that was written all the time says it itself."""
    if workload.live_files(job):
        return
    path = workload.output_path(job, job.standard_output)
    if scripts.begun(simulation.world, job.id):
        path = workload.output_path(job, job.standard_error or job.standard_output)
        before = _content(simulation.world, job, path)
        said = "".join(f"{line}\n" for line in workload.stopped(simulation.world, job))
        _put_files(simulation, job, {path: before + said.encode()}, simulation.now)
    else:
        _put_files(simulation, job, {path: workload.output_text(simulation.world, job).encode()}, simulation.now)


def _content(world: World, job: Job, path: str) -> bytes:
    """What stands in a file that the job wrote."""
    host = job.nodes[0] if job.nodes else files.controller_host(world.inventory)
    written = world.files[host_files.files_key(host, path)].files.get(path)
    return written.content if written is not None and written.content is not None else b""


def _put_files(
    simulation: Simulation[World],
    job: Job,
    contents: Mapping[str, bytes],
    time: int,
    sources: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Put files of a job where it runs, owned by its user; `sources` name those that are written all the time."""
    world = simulation.world
    owner = identity(world.inventory, job.user)
    host = job.nodes[0] if job.nodes else files.controller_host(world.inventory)
    added: dict[str, dict[str, WrittenFile]] = {}
    for path, content in contents.items():
        written = WrittenFile(content, 0o664, owner.uid, owner.gid, time, source=sources.get(path, ""))
        added.setdefault(host_files.files_key(host, path), {})[path] = written
    for key, more in added.items():
        world.files[key] = WrittenFiles(MappingProxyType({**world.files[key].files, **more}))

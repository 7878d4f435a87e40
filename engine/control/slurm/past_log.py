"""What slurmctld and slurmd wrote before the site's start, made from the accounting's past when somebody looks.

The journal of a host takes these entries in with its other history; the log files show them from there.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.control import service_state
from engine.control.accounts import identity
from engine.control.slurm import accounting, files, jobs
from engine.kernel.hostlist import fold
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.records import Job, LogEntry
from engine.world.world import World


def entries(world: World, host: str) -> tuple[LogEntry, ...]:
    """The daemons' entries on a host, by time."""
    if not world.inventory.partitions:
        return ()
    name = "slurmctld" if host == files.controller_host(world.inventory) else "slurmd"
    lines = _controller_lines(world) if name == "slurmctld" else _node_lines(world, host)
    pid = service_state.service(world, host, name).pid
    return tuple(
        LogEntry(time, f"{name}: {text}", name, pid=pid, unit=f"{name}.service", facility="daemon")
        for time, text in sorted(lines)
        if time < 0
    )


def source(world: World) -> tuple[object, ...]:
    """What the entries follow from apart from the inventory and the seed: the standing jobs as far as they had come."""
    return tuple(
        (job.id, job.submitted, job.priority, *((job.started, job.nodes) if (job.started or 0) < 0 else ()))
        for job in jobs.recorded(world)
        if job.submitted < 0
    )


def _controller_lines(world: World) -> Iterator[tuple[int, str]]:
    for job in accounting.past(world):
        yield from _life(job)
    for job in jobs.recorded(world):
        if job.submitted < 0:
            yield from _life(job)


def _life(job: Job) -> Iterator[tuple[int, str]]:
    """The lines about a job from its submission to its end, as far as it has come."""
    taken = 300 + job.id * 7919 % 700
    yield (
        job.submitted + job.id % 997 * MILLISECOND,
        f"_slurm_rpc_submit_batch_job: JobId={job.id} InitPrio={job.priority} usec={taken}",
    )
    if job.started is None:
        return
    cpus = jobs.total_cpus(job)
    allocated = f"sched: Allocate JobId={job.id} NodeList={fold(job.nodes)} #CPUs={cpus} Partition={job.partition}"
    yield job.started + job.id % 613 * MILLISECOND, allocated
    if job.ended is None:
        return
    if job.state == "TIMEOUT":
        yield job.ended - SECOND, f"Time limit exhausted for JobId={job.id}"
    elif job.state == "CANCELLED":
        yield job.ended - SECOND, f"_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId={job.id} uid {job.cancelled_by}"
    else:
        yield job.ended, f"_job_complete: JobId={job.id} WEXITSTATUS {job.exit_code}"
        yield job.ended + MILLISECOND, f"_job_complete: JobId={job.id} done"


def _node_lines(world: World, host: str) -> Iterator[tuple[int, str]]:
    for job in [*accounting.past(world), *jobs.recorded(world)]:
        if job.started is None or job.started >= 0 or host not in job.nodes:
            continue
        moment = job.started + job.id % 613 * MILLISECOND
        if host == job.nodes[0]:
            uid = identity(world.inventory, job.user).uid
            yield moment + 40 * MILLISECOND, f"Launching batch job {job.id} for UID {uid}"
        if job.ended is not None and host == job.nodes[0]:
            yield job.ended, f"[{job.id}.batch] done with job"

"""How srun and salloc get nodes: a new job that it waits for, or a job that runs already.

Source: SchedMD/slurm 24.11 src/srun/allocate.c and src/api/allocate.c; texts compared with 22.05.
"""

from __future__ import annotations

from engine.commands.context import Context, Interrupted
from engine.commands.options import UsageError
from engine.commands.slurm._support.client import error, fail, reach
from engine.control.slurm import jobs
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.numbers import whole
from engine.control.slurm.queue import CancelJob
from engine.control.slurm.submission import SubmitJob, forecast
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.records import Job

_LONGEST_PAUSE = 10 * SECOND
_LIMITS = ("PartitionNodeLimit", "PartitionTimeLimit", "PartitionDown", "PartitionInactive")
_NO_ALLOCATION = "Unable to allocate resources: {}"


async def allocate(ctx: Context, request: SubmitJob, immediate: int | None, quiet: bool) -> Job:
    """A job of one's own, once it has its nodes. `immediate`: seconds after which srun gives up; None: never.

    Raises UsageError when there will be none.
    """
    refused = reach(ctx)
    failed = _NO_ALLOCATION if ctx.name == "srun" else "Job submit/allocate failed: {}"
    if refused:
        raise fail(ctx, failed.format(refused.text))
    if immediate == 1 and not _starts_now(ctx, request):
        raise fail(ctx, _NO_ALLOCATION.format(SlurmError.NODES_BUSY.text))
    answer = ctx.simulation.apply(request)
    for note in answer.notes:
        error(ctx, note)
    if answer.error:
        raise fail(ctx, failed.format(answer.error.text))
    job = jobs.active_job(ctx.world, answer.job)
    if job.state != "PENDING":
        return job
    if not quiet:
        _say_why(ctx, job)
        if ctx.name == "salloc":
            ctx.error(f"salloc: Pending job allocation {job.id}")
        ctx.error(f"{ctx.name}: job {job.id} queued and waiting for resources")
    try:
        granted = await _wait(ctx, job.id, None if immediate is None else ctx.now + immediate * SECOND)
    except Interrupted:
        ctx.simulation.apply(CancelJob(job.id, ctx.identity.name))
        ctx.error(f"{ctx.name}: Job allocation {job.id} has been revoked{'.' if ctx.name == 'salloc' else ''}")
        if ctx.name == "srun":
            ctx.error(f"srun: Force Terminated JobId={job.id}")
        raise
    if not quiet:
        ctx.error(f"{ctx.name}: job {job.id} has been allocated resources")
        await ctx.flush()
    return granted


def _starts_now(ctx: Context, request: SubmitJob) -> bool:
    answer = forecast(ctx.simulation, request)
    return not isinstance(answer, tuple) or answer[1] <= ctx.now


def _say_why(ctx: Context, job: Job) -> None:
    """slurmctld takes the job but says that it cannot run as things are."""
    if job.reason.startswith("ReqNodeNotAvail"):
        ctx.error(f"{ctx.name}: {SlurmError.NODE_NOT_AVAILABLE.text}")
    elif job.reason in _LIMITS:
        ctx.error(f"{ctx.name}: {SlurmError.PARTITION_CONFIGURATION.text}")


async def _wait(ctx: Context, number: int, until: int | None) -> Job:
    """Look at the job whenever something may have changed."""
    while True:
        job = jobs.active_job(ctx.world, number)
        if job.state == "RUNNING":
            return job
        if jobs.is_over(job):
            raise fail(ctx, _NO_ALLOCATION.format(SlurmError.ALREADY_DONE.text))
        if until is not None and ctx.now >= until:
            ctx.simulation.apply(CancelJob(number, ctx.identity.name))
            if ctx.name == "salloc":
                error(ctx, _NO_ALLOCATION.format("Connection timed out"))
                raise UsageError(f"salloc: Job allocation {number} has been revoked.\n")
            raise fail(ctx, _NO_ALLOCATION.format(SlurmError.NODES_BUSY.text))
        due = ctx.simulation.next_event_time()
        pause = _LONGEST_PAUSE if due is None else max(due - ctx.now, MILLISECOND)
        limit = _LONGEST_PAUSE if until is None else max(until - ctx.now, MILLISECOND)
        await ctx.sleep(min(pause, limit, _LONGEST_PAUSE))


def existing(ctx: Context, number: str) -> Job:
    """The job that --jobid or SLURM_JOB_ID names. Raises UsageError if it does not run."""
    refused = reach(ctx)
    job = None if refused else jobs.job(ctx.world, whole(number) or 0)
    if refused is None and job is not None and job.state == "RUNNING":
        return job
    if job is not None and jobs.is_over(job):
        text = f"Slurm job {number} has expired"
    else:
        why = refused or (SlurmError.INVALID_JOB if job is None else SlurmError.JOB_PENDING)
        text = f"Unable to confirm allocation for job {number}: {why.text}"
    hint = f"Check SLURM_JOB_ID environment variable. Expired or invalid job {number}"
    raise UsageError(f"srun: error: {text}\nsrun: {hint}\n")

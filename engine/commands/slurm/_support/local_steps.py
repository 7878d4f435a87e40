"""What scontrol tells of the job steps on its own host: listpids, listjobs, liststeps, pidinfo.

Source: SchedMD/slurm 24.11 src/scontrol/info_job.c; compared with 22.05. Steps are those of batch jobs; a command that
srun runs has no process of its own in the model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.commands.slurm._support.session import Session
from engine.control import processes
from engine.control.slurm import jobs
from engine.control.slurm.numbers import whole
from engine.control.slurm.times import timestamp
from engine.kernel.units import SECOND
from engine.world.records import Job, Process

_STEP = re.compile(r"slurmstepd: \[(\d+)\.(\w+)\]")


def list_pids(session: Session, arguments: Sequence[str]) -> None:
    """`listpids [JOB[.STEP]]`."""
    ctx = session.ctx
    wanted = arguments[0] if arguments and not arguments[0].startswith("*") else ""
    job_text, _, step_text = wanted.partition(".")
    number_asked = whole(job_text)
    if job_text and number_asked is None:
        session.refuse(f'"{job_text}" does not look like a jobid')
        return
    found = _steps(session)
    if not found:
        session.refuse(
            f"StepId={wanted} does not exist on node (null)." if wanted else "No job steps exist on this node."
        )
        return
    chosen = [key for key in found if (not job_text or key[0] == number_asked) and step_text in ("", key[1])]
    if not chosen:
        missing = f"There are no steps for job {job_text} on node {ctx.host}."
        session.refuse(f"StepId={wanted} does not exist on node {ctx.host}." if step_text else missing)
        return
    ctx.line("PID      JOBID    STEPID   LOCALID GLOBALID")
    for number, step in chosen:
        job = jobs.job(ctx.world, number)
        before = job.gpus_per_node * job.nodes.index(ctx.host) if job and ctx.host in job.nodes else 0
        for index, process in enumerate(found[number, step]):
            place = (0, 0) if step == "batch" else (index, before + index)
            ctx.line(f"{process.pid:<8} {number:<8} {step:<8} {place[0]:<7} {place[1]:<8} ")


def list_jobs(session: Session, arguments: Sequence[str]) -> None:
    """`listjobs`."""
    del arguments
    _list(session, "JOBID", list(dict.fromkeys(f"{number}" for number, _ in _steps(session))))


def list_steps(session: Session, arguments: Sequence[str]) -> None:
    """`liststeps`."""
    del arguments
    _list(session, "STEPID", [f"{number}.{step}" for number, step in _steps(session)])


def _list(session: Session, heading: str, lines: Sequence[str]) -> None:
    if not lines:
        session.ctx.error("No slurmstepd's found on this node")
        return
    for line in (heading, *lines):
        session.ctx.line(line)


def pid_info(session: Session, arguments: Sequence[str]) -> None:
    """`pidinfo PID`."""
    ctx = session.ctx
    pid = whole(arguments[0]) or 0
    process = next((each for each in processes.processes(ctx.world, ctx.host) if each.pid == pid), None)
    job = jobs.job(ctx.world, process.job) if process and process.job is not None else None
    if job is None or job.started is None:
        session.complain("Failed to locate job for requested pid")
        return
    ends = job.started + job.time_limit
    ctx.line(f"Slurm JobId={job.id} ends at {timestamp(ctx.inventory, ends)}")
    ctx.line(f"Job remaining time is {max(ends - ctx.now, 0) // SECOND} seconds")


def _steps(session: Session) -> dict[tuple[int, str], list[Process]]:
    """The processes of each step that a slurmstepd of this host looks after, by (job, step)."""
    world, host = session.ctx.world, session.ctx.host
    found: dict[tuple[int, str], list[Process]] = {}
    for job in jobs.active(world):
        if host in job.nodes:
            _add_steps(found, job, processes.of_job(world, host, job.id))
    return found


def _add_steps(found: dict[tuple[int, str], list[Process]], job: Job, known: Sequence[Process]) -> None:
    daemons = {each.pid: match[2] for each in known if (match := _STEP.fullmatch(each.command))}
    for process in known:
        if process.pid not in daemons:
            own = daemons.get(process.parent)
            step = "batch" if own == "batch" and not process.gpus else "0"
            found.setdefault((job.id, step), []).append(process)

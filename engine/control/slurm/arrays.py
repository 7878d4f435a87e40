"""Job arrays (`sbatch -a`): one record in the queue for all tasks that wait, and a job of its own for each that starts.

Source: sbatch(1); SchedMD/slurm 24.11 src/slurmctld/job_mgr.c (_valid_array_inx, job_array_split: the task that starts
gets a new number, the rest keeps the array's, which the last task has), src/common/slurm_protocol_defs.c
(xlate_array_task_str, which cuts a long list after 64 letters). Output files are `slurm-%A_%a.out`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from engine.control.slurm import jobs
from engine.control.slurm.errors import Refused, SlurmError
from engine.control.slurm.ledger import enter, ledger, put
from engine.kernel.simulation import Simulation
from engine.world.records import Job
from engine.world.world import World

MAX_ARRAY_SIZE = 1001
"""MaxArraySize's default: one more than the highest index."""
_PART = re.compile(r"(\d{1,9})(?:-(\d{1,9})(?::(\d{1,9}))?)?")
_LIST_WIDTH = 64


def read(text: str, largest: int = MAX_ARRAY_SIZE) -> tuple[tuple[int, ...], int]:
    """(tasks, how many may run at once; 0 for no limit) of `1-12%3` or `0,4,8-15:2`. Raises Refused."""
    listed, percent, limit = text.strip("[]").partition("%")
    tasks: set[int] = set()
    for part in listed.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise Refused(SlurmError.INVALID_ARRAY)
        low, high, step = int(match[1]), int(match[2] or match[1]), int(match[3] or 1)
        if high < low or not step or high >= largest:
            raise Refused(SlurmError.INVALID_ARRAY)
        tasks.update(range(low, high + 1, step))
    if percent and not (limit.isdigit() and int(limit)):
        raise Refused(SlurmError.INVALID_ARRAY)
    return tuple(sorted(tasks)), int(limit or 0)


def whole_range(tasks: tuple[int, ...]) -> tuple[int, int, int, int]:
    """(count, least, most, step) of an array's tasks, as its tasks are told of them."""
    step = tasks[1] - tasks[0] if len(tasks) > 1 else 1
    return len(tasks), tasks[0], tasks[-1], step


def addressed(world: World, number: int, tasks: tuple[int, ...] = ()) -> list[Job]:
    """The jobs that `5`, `5_3` or `5_[1-4]` mean: all of an array, or those with some of the tasks."""
    return [
        job
        for job in members(world, number)
        if not tasks or job.array_task in tasks or set(tasks) & set(job.array_tasks)
    ]


def parse_id(text: str) -> tuple[int, tuple[int, ...]] | None:
    """(number, tasks) of `5`, `5_3`, `5_[1-4]` or `5_*`; None for what is no job."""
    match = re.fullmatch(r"(\d{1,18})(?:_(\d{1,9}|\[[\d,:-]+\]|\*))?", text)
    if match is None or not int(match[1]):
        return None
    if match[2] in (None, "*"):
        return int(match[1]), ()
    try:
        return int(match[1]), read(match[2], 1 << 22)[0]
    except Refused:
        return None


def task_text(job: Job) -> str:
    """`4-12%3`, `7`, or "" for a job that is no part of an array."""
    if job.array_tasks:
        listed = _runs(job.array_tasks)
        cut = listed if len(listed) <= _LIST_WIDTH else f"{listed[: listed[:_LIST_WIDTH].rindex(',') + 1]}..."
        return f"{cut}%{job.array_limit}" if job.array_limit else cut
    return "" if job.array_task is None else str(job.array_task)


def shown_id(job: Job) -> str:
    """`5_[4-12%3]`, `5_1`, or the job's number."""
    if job.array_tasks:
        return f"{job.array_job}_[{task_text(job)}]"
    return str(job.id) if job.array_task is None else f"{job.array_job}_{job.array_task}"


def each_task(job: Job) -> list[Job]:
    """The record of an array as if each task that waits were a job (`squeue -r`); any other job alone."""
    return [replace(job, array_task=task, array_tasks=()) for task in job.array_tasks] or [job]


def members(world: World, number: int) -> list[Job]:
    """Every job of an array by number, those that are over too; a single job alone; none if there is no such job."""
    found = ledger(world).arrays.get(number)
    if found is not None:
        return [world.jobs[str(each)] for each in found]
    single = jobs.job(world, number)
    return [single] if single is not None else []


def as_listed(world: World, known: list[Job]) -> list[Job]:
    """Jobs in the order of slurmctld's list. A task that starts takes the place of its array's record, which goes to
    the end of the list.
    """
    places: dict[int, tuple[int, int]] = {}
    for job in known:
        if job.array_job and job.array_job not in places:
            place = (job.array_job, 0)
            ids = ledger(world).arrays.get(job.array_job, [])
            for number in [*ids[1:], ids[0]]:
                places[number] = place
                place = (number, 1)
    return sorted(known, key=lambda job: places.get(job.id, (job.id, 0)))


def running(world: World, number: int) -> int:
    """How many tasks of an array run, or are being cleaned up."""
    active = ledger(world).active
    known = (active.get(each) for each in ledger(world).arrays.get(number, ()))
    return sum(job is not None and (job.state == "RUNNING" or job.completing) for job in known)


def split(simulation: Simulation[World], job: Job, task: int) -> Job:
    """The task of an array that starts (or is cancelled) becomes a job of its own; the last one keeps the number."""
    world = simulation.world
    rest = tuple(each for each in job.array_tasks if each != task)
    if not rest:
        return put(world, job.id, array_tasks=(), array_task=task)
    number = world.slurm[""].next_job
    own = replace(job, id=number, array_tasks=(), array_task=task)
    put(world, job.id, array_tasks=rest)
    world.slurm.update("", next_job=number + 1, active_jobs=(*world.slurm[""].active_jobs, number))
    enter(world, own)
    return own


def _runs(tasks: Iterable[int]) -> str:
    """`0-3,8`; numbers a constant step apart as `0-8:2` (three and more of them)."""
    listed = list(tasks)
    step = listed[1] - listed[0] if len(listed) > 2 else 0
    if step > 1 and listed == list(range(listed[0], listed[-1] + 1, step)):
        return f"{listed[0]}-{listed[-1]}:{step}"
    runs: list[list[int]] = []
    for number in listed:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)

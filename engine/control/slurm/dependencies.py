"""What a job waits for (`--dependency`): other jobs that must have begun, ended, or ended well, or any of its own name.

Source: sbatch(1) and SchedMD/slurm 24.11 src/slurmctld/job_scheduler.c (update_job_dependency, test_job_dependency and
how a dependency is written). A dependency on a job array is one on all of its tasks, `aftercorr` between arrays one on
the task of the same number. Federated jobs are left out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum

from engine.control.slurm import arrays, jobs
from engine.control.slurm.errors import Refused, SlurmError
from engine.control.slurm.ledger import ledger
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.events import SchedulerDue
from engine.world.records import Dependency, Job
from engine.world.world import World

REASON, NEVER = "Dependency", "DependencyNeverSatisfied"
SINGLETON = "singleton"
_KINDS = ("after", "afterany", "afternotok", "afterok", "aftercorr")
_PART = re.compile(r"(\d{1,9})(?:\+(\d{1,9}))?")


class Standing(Enum):
    """How far a dependency is: it waits, it is met, or it never can be."""

    WAITS = "unfulfilled"
    MET = "met"
    FAILED = "failed"


def read(text: str) -> tuple[tuple[Dependency, ...], bool]:
    """The dependencies of `afterok:12:13,singleton`, and whether one of them is enough (`?` between them).

    Raises Refused for what slurmctld does not understand.
    """
    any_of = "?" in text
    if any_of and "," in text:
        raise Refused(SlurmError.DEPENDENCY)
    found: list[Dependency] = []
    for word in re.split(r"[,?]", text) if text else ():
        kind, *numbers = word.lower().split(":")
        if kind == SINGLETON and not numbers:
            found.append(Dependency(SINGLETON))
        elif kind.isdigit() and not numbers:
            found.append(Dependency("afterany", int(kind)))
        elif kind in _KINDS and numbers:
            found += [_one(kind, number) for number in numbers]
        else:
            raise Refused(SlurmError.DEPENDENCY)
    return tuple(found), any_of


def check(world: World, job: Job) -> None:
    """Raises Refused if the job waits for one that slurmctld does not know, or for itself."""
    for each in job.dependencies:
        if each.kind != SINGLETON and (each.job >= job.id or jobs.job(world, each.job) is None):
            raise Refused(SlurmError.DEPENDENCY)


def reason(world: World, job: Job, now: int) -> str:
    """Why the job has to wait for others, or "" if it has not."""
    standings = [standing(world, job, each, now) for each in job.dependencies]
    if not standings:
        return ""
    if job.any_dependency:
        if Standing.MET in standings:
            return ""
        return REASON if Standing.WAITS in standings else NEVER
    if Standing.FAILED in standings:
        return NEVER
    return REASON if Standing.WAITS in standings else ""


def standing(world: World, job: Job, dependency: Dependency, now: int) -> Standing:
    """How far one dependency of a job is."""
    if dependency.kind == SINGLETON:
        same = any(
            other.id < job.id and other.name == job.name and other.user == job.user
            for other in ledger(world).active.values()
        )
        return Standing.WAITS if same else Standing.MET
    others = arrays.members(world, dependency.job)
    if dependency.kind == "aftercorr" and job.array_task is not None:
        others = [other for other in others if other.array_task == job.array_task] or others
    return _of_all([_of_one(other, dependency, now) for other in others])


def _of_all(standings: list[Standing]) -> Standing:
    """Of an array all tasks count."""
    return next((each for each in (Standing.FAILED, Standing.WAITS) if each in standings), Standing.MET)


def _of_one(other: Job, dependency: Dependency, now: int) -> Standing:
    if dependency.kind == "after":
        begun = other.started if other.started is not None else other.ended
        return Standing.MET if begun is not None and begun + dependency.delay <= now else Standing.WAITS
    if not jobs.is_over(other) or other.completing:
        return Standing.WAITS
    well = other.state == "COMPLETED"
    wanted = {"afterany": True, "afternotok": not well}.get(dependency.kind, well)
    return Standing.MET if wanted else Standing.FAILED


def text(world: World, job: Job, now: int) -> str:
    """`afterok:48290(unfulfilled),singleton(unfulfilled)`: what the job still waits for; "" for nothing."""
    if job.state != "PENDING":
        return ""
    shown = []
    for each in job.dependencies:
        stands = standing(world, job, each, now)
        if stands is not Standing.MET:
            delay = f"+{each.delay // MINUTE}" if each.delay else ""
            what = each.kind if each.kind == SINGLETON else f"{each.kind}:{each.job}{delay}"
            shown.append(f"{what}({stands.value})")
    return ("?" if job.any_dependency else ",").join(shown)


def begun(simulation: Simulation[World], job: Job) -> None:
    """Let slurmctld look again when somebody's wait after the beginning of `job` is over."""
    known = ledger(simulation.world)
    for number in sorted({*known.awaited.get(job.id, ()), *known.awaited.get(job.array_job, ())}):
        for each in known.active[number].dependencies:
            if each.kind == "after" and each.job in (job.id, job.array_job) and each.delay:
                simulation.schedule(SchedulerDue(), each.delay)


def dressed(job: Job, given: str) -> Job:
    """The job with the dependencies of `given`. Raises Refused."""
    found, any_of = read(given)
    return replace(job, dependencies=found, any_dependency=any_of)


def _one(kind: str, number: str) -> Dependency:
    match = _PART.fullmatch(number)
    if match is None or (match[2] and kind != "after"):
        raise Refused(SlurmError.DEPENDENCY)
    return Dependency(kind, int(match[1]), int(match[2] or 0) * MINUTE)

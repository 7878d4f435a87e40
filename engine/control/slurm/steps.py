"""Steps that srun launches within a running job.

Log lines from SchedMD/slurm 24.11 src/slurmd/slurmd/req.c and src/slurmctld/job_mgr.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.control.accounts import identity
from engine.control.slurm import jobs, lifecycle, logs
from engine.control.slurm.errors import SlurmError
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.records import Job, JobStep
from engine.world.world import World


def room(job: Job, nodes: Sequence[str], cpus: int, gpus: int | None) -> tuple[int, ...] | None:
    """The places among the job's GPUs that a new step gets on each of `nodes` beside those that run, or None while
    they hold what it asks for: `cpus` (0: all of the job's) and so many GPUs (None: all).
    """
    others = [
        step
        for step in job.steps
        if step.id.isdigit() and step.ended is None and not step.overlaps and set(step.nodes) & set(nodes)
    ]
    used = sum(step.cpus or job.cpus_per_node for step in others)
    if used + (cpus or job.cpus_per_node) > job.cpus_per_node:
        return None
    there = range(job.gpus_per_node)
    taken = {place for step in others for place in (there if step.gpus is None else step.gpus)}
    free = tuple(place for place in there if place not in taken)
    wanted = job.gpus_per_node if gpus is None else gpus
    return free[:wanted] if len(free) >= wanted else None


@dataclass(frozen=True, slots=True)
class StartStep(Action):
    """srun launches a step within a running job. Returns the step's number, or the error. `kind` names a step that has
    no number (`interactive`).
    """

    job: int
    by: str
    name: str
    nodes: tuple[str, ...]
    tasks: int
    kind: str = ""
    cpus: int = 0
    gpus: tuple[int, ...] | None = None
    overlaps: bool = False

    def perform(self, simulation: Simulation[World]) -> int | SlurmError:
        entry = jobs.job(simulation.world, self.job)
        if entry is None:
            return SlurmError.INVALID_JOB
        if self.by != entry.user:
            return SlurmError.ACCESS_DENIED
        if entry.state != "RUNNING":
            return SlurmError.ALREADY_DONE
        number = sum(step.id.isdigit() for step in entry.steps)
        step = JobStep(
            self.kind or str(number), self.name, self.nodes, self.tasks, simulation.now,
            cpus=self.cpus, gpus=self.gpus, overlaps=self.overlaps,
        )  # fmt: skip
        lifecycle.put(simulation, self.job, steps=(*entry.steps, step))
        uid = identity(simulation.world.inventory, self.by).uid
        for name in self.nodes:
            asked = f"request from UID:{uid} GID:{uid} HOST:{entry.submit_host} PORT:{40_000 + self.job % 20_000}"
            logs.write(simulation, name, logs.SLURMD, f"launch task StepId={self.job}.{number} {asked}")
        return number


@dataclass(frozen=True, slots=True)
class FinishStep(Action):
    """A step of srun is over; with `job_too` so is the job that srun had allocated for it."""

    job: int
    step: int | str
    exit_code: int
    signal: int = 0
    job_too: bool = False

    def perform(self, simulation: Simulation[World]) -> None:
        entry = jobs.job(simulation.world, self.job)
        if entry is None or entry.state != "RUNNING":
            return
        failed = self.exit_code or self.signal
        state = "CANCELLED" if self.signal else "FAILED" if failed else "COMPLETED"
        steps = tuple(
            replace(step, ended=simulation.now, state=state, exit_code=self.exit_code, signal=self.signal)
            if step.id == str(self.step)
            else step
            for step in entry.steps
        )
        entry = lifecycle.put(simulation, self.job, steps=steps)
        if self.job_too:
            status = f"WTERMSIG {self.signal}" if self.signal else f"WEXITSTATUS {self.exit_code}"
            logs.controller(simulation, f"_job_complete: JobId={self.job} {status}")
            reason = "NonZeroExitCode" if failed else "None"
            lifecycle.end(
                simulation,
                entry,
                "FAILED" if failed else "COMPLETED",
                exit_code=self.exit_code,
                signal=self.signal,
                reason=reason,
            )
            logs.controller(simulation, f"_job_complete: JobId={self.job} done")

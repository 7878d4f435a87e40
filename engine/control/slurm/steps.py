"""Steps that srun launches within a running job.

Log lines from SchedMD/slurm 24.11 src/slurmd/slurmd/req.c and src/slurmctld/job_mgr.c.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.control.accounts import identity
from engine.control.slurm import jobs, lifecycle, logs
from engine.control.slurm.errors import SlurmError
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.records import JobStep
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class StartStep(Action):
    """srun launches a step within a running job. Returns the step's number, or the error."""

    job: int
    by: str
    name: str
    nodes: tuple[str, ...]
    tasks: int

    def perform(self, simulation: Simulation[World]) -> int | SlurmError:
        entry = jobs.job(simulation.world, self.job)
        if entry is None:
            return SlurmError.INVALID_JOB
        if self.by != entry.user:
            return SlurmError.ACCESS_DENIED
        if entry.state != "RUNNING":
            return SlurmError.ALREADY_DONE
        number = sum(step.id.isdigit() for step in entry.steps)
        step = JobStep(str(number), self.name, self.nodes, self.tasks, simulation.now)
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
    step: int
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

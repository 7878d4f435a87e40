"""What the shell that runs a batch script does to its job: begin it, end it with the script's status, or leave it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.control.slurm import jobs, lifecycle, logs
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.world import World

OUTPUT_FAILED = 53
"""The signal number with which a job ends whose output file cannot be opened (`ExitCode=0:53`)."""


@dataclass(frozen=True, slots=True)
class BeginScript(Action):
    """A shell runs the script of a job: the job ends with it, or at its time limit."""

    job: int

    def perform(self, simulation: Simulation[World]) -> None:
        controller = simulation.world.slurm[""]
        simulation.world.slurm.update("", scripts_begun=(*controller.scripts_begun, self.job))
        lifecycle.set_duration(simulation, self.job, None)


@dataclass(frozen=True, slots=True)
class EndScript(Action):
    """The script has ended with `status` (128 and the number for a signal)."""

    job: int
    status: int

    def perform(self, simulation: Simulation[World]) -> None:
        job = jobs.job(simulation.world, self.job)
        if job is not None and job.state == "RUNNING":
            lifecycle.complete(simulation, job, self.status)


@dataclass(frozen=True, slots=True)
class RefuseOutput(Action):
    """slurmstepd cannot open the job's output file `path` and says why."""

    job: int
    path: str
    why: str

    def perform(self, simulation: Simulation[World]) -> None:
        job = jobs.active_job(simulation.world, self.job)
        text = f"[{job.id}.batch] error: Could not open stdout file {self.path}: {self.why}"
        logs.write(simulation, job.nodes[0], logs.SLURMD, text)
        logs.write(simulation, job.nodes[0], logs.SLURMD, f"[{job.id}.batch] error: IO setup failed: {self.why}")
        logs.controller(simulation, f"_job_complete: JobId={job.id} WTERMSIG {OUTPUT_FAILED}")
        reason = f"RaisedSignal:{OUTPUT_FAILED}(Real-time_signal_19)"
        lifecycle.end(simulation, job, "FAILED", signal=OUTPUT_FAILED, reason=reason)
        logs.controller(simulation, f"_job_complete: JobId={job.id} done")


@dataclass(frozen=True, slots=True)
class LeaveScript(Action):
    """The shell that ran a script is gone (a session was left and taken up again): how long the rest takes follows
    from the script's words.
    """

    job: int

    def perform(self, simulation: Simulation[World]) -> None:
        lifecycle.guess_duration(simulation, self.job)

"""Batch scripts that a shell runs: which jobs have one, and which wait for a shell or still run.

A job whose script asks for no kind of GPU work of its own (engine.control.slurm.workload) is run line by line by the
shell of whoever plays the simulation (engine.shell.batch). Where nobody plays it, its end is what the words of the
script tell.
"""

from __future__ import annotations

from engine.control.slurm import jobs
from engine.kernel.simulation import Simulation
from engine.world.records import Job
from engine.world.world import World

_PLAIN = "script"


def wants_shell(job: Job) -> bool:
    """Whether the job's script is for a shell to run."""
    return bool(job.script) and not job.interactive and job.workload == _PLAIN


def offer(simulation: Simulation[World], job: Job) -> None:
    """The job's script may begin: it is launched on its first node."""
    controller = simulation.world.slurm[""]
    simulation.world.slurm.update("", scripts=(*controller.scripts, job.id))


def withdraw(simulation: Simulation[World], number: int) -> None:
    """The job is over, or goes back to the queue."""
    controller = simulation.world.slurm[""]
    if number in controller.scripts:
        simulation.world.slurm.update(
            "",
            scripts=tuple(each for each in controller.scripts if each != number),
            scripts_begun=tuple(each for each in controller.scripts_begun if each != number),
        )


def waiting(world: World) -> list[Job]:
    """The jobs whose script no shell has begun."""
    controller = world.slurm[""]
    return [jobs.active_job(world, number) for number in controller.scripts if number not in controller.scripts_begun]


def begun(world: World, number: int) -> bool:
    """Whether a shell runs the script of a job."""
    return number in world.slurm[""].scripts_begun


def runs(world: World, job: Job) -> bool:
    """Whether this run of a job still runs."""
    known = jobs.job(world, job.id)
    return known is not None and known.state == "RUNNING" and known.started == job.started

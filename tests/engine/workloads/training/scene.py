"""A site on which a model is trained: the job of the first site on sixteen GPUs, and jobs that one submits."""

from __future__ import annotations

from functools import cache
from typing import Any

from engine.control import processes
from engine.control.slurm import accounting, jobs
from engine.control.slurm.submission import Submission, SubmitJob
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY, SECOND
from engine.simulation import open_site
from engine.workloads.training import output, runs
from engine.world.records import Job, Process, TrainingRegime, TrainingRun
from engine.world.world import World
from tests.support.worlds import inventory

Sim = Simulation[World]
STANDING = accounting.standing_numbers(inventory(), 1)[0]
"""llama-sft on dgx-01 and dgx-02."""

LARGE = "#!/bin/bash\nsrun python train.py --num-layers 60 --hidden-size 6656 --tensor-model-parallel-size 8\n"


@cache
def _pristine(site: str) -> Sim:
    return open_site(site)


def opened(site: str = "dgx-h100-4") -> Sim:
    """A site as it opens."""
    return _pristine(site).fork()


def submit(simulation: Sim, script: str, nodes: int = 1, gpus: int = 8, **more: Any) -> int:
    """A batch job of wei's under /home/wei/run, started."""
    given: dict[str, Any] = {"user": "wei", "name": "mine", "host": "head-01", "directory": "/home/wei/run",
                             "time_limit": DAY, "nodes": nodes, "gpus_per_node": gpus, "script": script}  # fmt: skip
    answer = simulation.apply(SubmitJob(**(given | more)))
    assert isinstance(answer, Submission) and answer.error is None
    simulation.advance(3 * SECOND)
    assert job(simulation, answer.job).state == "RUNNING"
    return answer.job


def job(simulation: Sim, number: int = STANDING) -> Job:
    return jobs.active_job(simulation.world, number)


def run(simulation: Sim, number: int = STANDING) -> TrainingRun:
    found = runs.run_of(simulation.world, number)
    assert found is not None
    return found


def regime(simulation: Sim, number: int = STANDING) -> TrainingRegime:
    """The regime that holds now."""
    return run(simulation, number).regimes[-1]


def text(simulation: Sim, number: int = STANDING) -> str:
    """What stands in the job's output file now."""
    return output.live(simulation.world, f"job/{number}/output", simulation.now)


def rank(simulation: Sim, host: str, local: int, number: int = STANDING) -> Process:
    """A process of the job on one of its GPUs."""
    return next(each for each in processes.of_job(simulation.world, host, number) if each.gpus == (local,))


def signal(simulation: Sim, host: str, local: int, number: int, to: int = STANDING) -> None:
    """Send a signal to a rank."""
    simulation.apply(processes.Kill(host, rank(simulation, host, local, to).pid, number, "root"))

"""A site whose Slurm is at work, and short ways to ask and to act."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import Any

from engine.control.files import files_key
from engine.control.slurm import accounting, jobs
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.nodes import survey
from engine.control.slurm.states import NodeCondition
from engine.control.slurm.submission import Submission, SubmitJob
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, SECOND
from engine.simulation import open_site
from engine.world.records import Job, WrittenFile, WrittenFiles
from engine.world.world import World
from tests.support.worlds import inventory

Sim = Simulation[World]
LONG, SHORT = accounting.standing_numbers(inventory(), 1)
"""The standing jobs: sixteen GPUs on dgx-01 and dgx-02, four GPUs on dgx-03."""


@cache
def _pristine() -> Sim:
    return open_site("dgx-h100-4")


def opened() -> Sim:
    """The first site with its two standing jobs."""
    return _pristine().fork()


def ask(simulation: Sim, **request: Any) -> Submission:
    """Submit a batch job of wei's for an hour; `sleep` seconds of work, unless a script is given."""
    sleep = request.pop("sleep", 600)
    given: dict[str, Any] = {
        "user": "wei", "name": "test", "host": "head-01", "directory": "/home/wei", "time_limit": HOUR,
        "script": f"#!/bin/bash\nsleep {sleep}\n",
    }  # fmt: skip
    answer = simulation.apply(SubmitJob(**(given | request)))
    assert isinstance(answer, Submission)
    return answer


def submit(simulation: Sim, **request: Any) -> int:
    """The number of a job that is taken."""
    answer = ask(simulation, **request)
    assert answer.error is None, answer.error
    return answer.job


def refusal(simulation: Sim, **request: Any) -> SlurmError:
    """Why a job is not taken."""
    answer = ask(simulation, **request)
    assert answer.error is not None
    return answer.error


def job(simulation: Sim, number: int) -> Job:
    """A job of this session."""
    return jobs.active_job(simulation.world, number)


def wait(simulation: Sim, seconds: int = 3) -> None:
    """Let so many seconds pass; three are enough for slurmctld to look at its queue."""
    simulation.advance(seconds * SECOND)


def condition(simulation: Sim, node: str) -> NodeCondition:
    """A node's base state and flags."""
    return survey(simulation.world).condition(node)


def state(simulation: Sim, node: str) -> str:
    """A node's state as sinfo shows it."""
    return condition(simulation, node).short.lower()


def log(simulation: Sim, host: str = "head-01") -> list[str]:
    """What slurmctld or slurmd wrote on a host since the site's start, without the daemon's name."""
    entries = simulation.world.logs[host].entries
    return [entry.text.partition(": ")[2] for entry in entries if entry.source in ("slurmctld", "slurmd")]


def harm(simulation: Sim) -> list[tuple[str, str]]:
    """(kind, cause) of the harm so far."""
    return [(each.kind, each.cause) for each in simulation.world.blast_radius[""].harms]


def write_file(simulation: Sim, host: str, path: str, text: str) -> None:
    """Put a file of root's onto a host."""
    key = files_key(host, path)
    file = WrittenFile(text.encode(), 0o644, 0, 0, simulation.now)
    simulation.world.files[key] = WrittenFiles(MappingProxyType({**simulation.world.files[key].files, path: file}))

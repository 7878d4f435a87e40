"""Slurm on the large site with ten thousand jobs in its hands."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count

from engine.control.slurm.ledger import ledger, put
from engine.control.slurm.nodes import survey
from engine.control.slurm.scheduler import Pass
from engine.control.slurm.submission import SubmitJob
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, SECOND
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

Action = Callable[[], object]
JOBS = 10_000
_NODES, _GPUS = (1, 1, 2, 4, 1, 8, 16), (8, 1, 8, 8, 4, 8, 8)
_USERS = ("priya", "wei", "sofia")


def request(number: int) -> SubmitJob:
    """One of the jobs: 1 to 16 nodes, for 1 to 11 hours."""
    kind = number % len(_NODES)
    return SubmitJob(
        _USERS[number % 3], f"job{number % 40}", "head-01", "/home/wei", nodes=_NODES[kind], gpus_per_node=_GPUS[kind],
        time_limit=(1 + number % 11) * HOUR, script="#!/bin/bash\nsleep 3600\n",
    )  # fmt: skip


@cache
def full_queue() -> Simulation[World]:
    """The large site with its nodes full and the rest of the jobs waiting."""
    simulation = open_site("dgx-h100-2k")
    for number in range(JOBS):
        simulation.apply(request(number))
    simulation.advance(2 * SECOND)
    return simulation


def whole_look() -> Action:
    """A look at the whole queue."""
    simulation = full_queue()
    return lambda: Pass(survey(simulation.world), simulation.now).run()


def job_event() -> Action:
    """What a job that comes, and the look at the queue that it calls for, cost the scheduler: in the books and out."""
    simulation = full_queue()
    world = simulation.world
    number = next(job.id for job in ledger(world).active.values() if job.state == "RUNNING" and job.node_count == 16)
    turn = count()

    def action() -> None:
        put(world, number, comment=str(next(turn)))
        Pass(survey(world), simulation.now, 100).run()

    return action


def submission() -> Action:
    """A job is submitted."""
    simulation, turn = full_queue().fork(), count()
    ledger(simulation.world)
    return lambda: simulation.apply(request(next(turn)))


def command(line: str, least: int) -> Action:
    """A command that shows all of it."""
    simulation = full_queue()

    def action() -> None:
        shown = len(run_command(simulation, "head-01", "root", line).stdout.splitlines())
        if shown < least:
            raise RuntimeError(f"{line} showed {shown} lines")

    return action

"""A site of four DGX H100 on which nothing runs, and lines typed there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.control.slurm import jobs
from engine.control.slurm.queue import CancelJob
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from engine.world.world import World
from tests.support.sessions import type_lines

Typed = Callable[..., tuple[str, int]]


@pytest.fixture(scope="session")
def idle() -> Simulation[World]:
    site = open_site("dgx-h100-4")
    for job in jobs.active(site.world):
        site.apply(CancelJob(job.id, "root"))
    site.advance(MINUTE)
    return site


@pytest.fixture
def site(idle: Simulation[World]) -> Simulation[World]:
    """A copy of its own for each test."""
    return idle.fork()


@pytest.fixture
def typed(site: Simulation[World]) -> Typed:
    """What a line gives on the head node: its output with standard error, and its status."""

    def line(text: str, user: str = "priya", host: str = "head-01") -> tuple[str, int]:
        result = type_lines(site, [text], user=user, host=host)[0]
        return result.output.decode(), result.status

    return line

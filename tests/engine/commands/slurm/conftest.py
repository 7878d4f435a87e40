"""A site whose Slurm is at work: standing jobs on dgx-01 to dgx-03, dgx-04 idle; and ways to type at it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.control import systemd
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import Result, run_command

Run = Callable[..., Result]


@pytest.fixture(scope="session")
def pristine() -> Simulation[World]:
    return open_site("dgx-h100-4")


@pytest.fixture
def site(pristine: Simulation[World]) -> Simulation[World]:
    """A copy of its own for each test."""
    return pristine.fork()


@pytest.fixture
def run(site: Simulation[World]) -> Run:
    """Runs a line as an ordinary user of the head node, unless told otherwise."""

    def line(words: str, user: str = "priya", host: str = "head-01", **options: object) -> Result:
        return run_command(site, host, user, words, **options)  # type: ignore[arg-type]

    return line


@pytest.fixture
def without_controller(site: Simulation[World]) -> Simulation[World]:
    """slurmctld is stopped."""
    site.apply(systemd.StopUnit("head-01", "slurmctld.service", "root"))
    return site

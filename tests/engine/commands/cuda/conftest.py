"""A site with nothing done to it yet, and ways to run CUDA programs on it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import Result, run_command

IDLE = "dgx-04"
"""A node without jobs."""

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
    """Runs a line on the idle node as an ordinary user, unless told otherwise."""

    def run(line: str, host: str = IDLE, user: str = "alex", **options: object) -> Result:
        return run_command(site, host, user, line, **options)  # type: ignore[arg-type]

    return run

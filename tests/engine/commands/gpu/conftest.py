"""A site with nothing done to it yet, and GPUs that work."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.control.processes import start
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import Result, run_command

IDLE, BUSY = "dgx-04", "dgx-01"
"""A node without jobs, and one with a standing job on all GPUs."""

Smi = Callable[..., Result]


@pytest.fixture(scope="session")
def pristine() -> Simulation[World]:
    return open_site("dgx-h100-4")


@pytest.fixture
def site(pristine: Simulation[World]) -> Simulation[World]:
    """A copy of its own for each test."""
    return pristine.fork()


@pytest.fixture
def smi(site: Simulation[World]) -> Smi:
    """Runs `nvidia-smi WORDS` on the idle node as an ordinary user, unless told otherwise."""

    def run(words: str = "", host: str = IDLE, user: str = "alex", **options: object) -> Result:
        return run_command(site, host, user, f"nvidia-smi {words}", **options)  # type: ignore[arg-type]

    return run


@pytest.fixture
def burning(site: Simulation[World]) -> int:
    """GPU 2 of the idle node is under load. Gives the process id."""
    return start(site, IDLE, user="priya", command="./gpu_burn 3600", gpus=(2,), gpu_memory=15690, workload="burn")

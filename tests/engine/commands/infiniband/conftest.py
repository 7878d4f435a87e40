"""The four-node site for tests of InfiniBand commands."""

from __future__ import annotations

import pytest

from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World


@pytest.fixture(scope="session")
def untouched() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


@pytest.fixture
def simulation(untouched: Simulation[World]) -> Simulation[World]:
    return untouched.fork()

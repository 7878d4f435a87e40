"""A site for NVIDIA's network card tools."""

from __future__ import annotations

import pytest

from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World


@pytest.fixture
def simulation() -> Simulation[World]:
    return open_site("dgx-h100-4")

"""Simulations of the four-node site for tests of PCI commands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.kernel.events import Bus
from engine.kernel.simulation import Simulation
from engine.sites.build import load_site
from engine.world.world import World


@pytest.fixture
def make_simulation() -> Callable[..., Simulation[World]]:
    """Makes a quiet simulation: no handlers, no standing work. Keyword arguments are software versions."""

    def make(**software: str) -> Simulation[World]:
        inventory = load_site("dgx-h100-4")
        changed = replace(inventory, software={**inventory.software, **software}, _nodes={}, _once={})
        return Simulation(World(changed, 1), 1, Bus([]))

    return make

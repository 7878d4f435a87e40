"""Worlds for tests: the first site, opened as the program opens it or without anything running."""

from __future__ import annotations

from functools import cache

from engine.kernel.events import Bus
from engine.kernel.simulation import Simulation
from engine.sites.build import load_site
from engine.world.inventory import Inventory
from engine.world.world import World


@cache
def inventory() -> Inventory:
    """The site `dgx-h100-4`."""
    return load_site("dgx-h100-4")


def bare_simulation(seed: int = 1) -> Simulation[World]:
    """A simulation of the first site in which nothing happens by itself."""
    return Simulation(World(inventory(), seed), seed, Bus([]))

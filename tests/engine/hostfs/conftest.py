"""A small site whose files the tests look at and change; each test has its own copy."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World

Seen = Callable[[str, str], HostTree]


@pytest.fixture(scope="session")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


@pytest.fixture
def simulation(site: Simulation[World]) -> Simulation[World]:
    return site.fork()


@pytest.fixture
def seen(simulation: Simulation[World]) -> Seen:
    """The tree of a host as a user sees it."""

    def tree(host: str, user: str) -> HostTree:
        return HostTree(
            simulation, host, identity(simulation.world.inventory, user), programs=lambda: ("nvidia-smi", "ibstat")
        )

    return tree

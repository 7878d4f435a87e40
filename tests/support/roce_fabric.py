"""The fabric of `hgx-h200-roce` for tests: copies of one world with traffic alone, its ports, flows between them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from engine.kernel.events import Bus
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.physics.ethernet import locks, watchdog
from engine.physics.traffic import changes, counters, exchange
from engine.sites.build import load_site
from engine.world.records import Flow
from engine.world.world import World

SITE = "hgx-h200-roce"
GIGA = 1_000_000_000
PRIORITY = 3
WIRE = 392_149_353_758
"""Payload in bit/s that a port of 400 GbE carries."""


@cache
def _site() -> Simulation[World]:
    heard = (*changes.HANDLERS, *watchdog.HANDLERS, *locks.HANDLERS)
    return Simulation(World(load_site(SITE), 1), 1, Bus(heard))


def pod() -> Simulation[World]:
    """A fresh copy of the site with traffic alone: no jobs."""
    return _site().fork()


def nic(node: int, rail: int = 0) -> str:
    """The port of an adapter."""
    return f"hgx-{node:02d}/mlx5_{rail}/1"


def leaf_port(world: World, port: str) -> str:
    """The port of the leaf that an adapter's port is cabled to."""
    return links.peer(world.inventory, port) or ""


def send(simulation: Simulation[World], owner: str, pairs: Iterable[tuple[str, str]], gbps: int = 390) -> int:
    """Flows of that rate each; gives the share of all together."""
    return exchange.open_bundle(simulation, owner, [Flow(here, there, gbps * GIGA) for here, there in pairs])


def incast(simulation: Simulation[World], senders: Iterable[int], receiver: int, rail: int = 0) -> int:
    """Several nodes send to one."""
    pairs = [(nic(node, rail), nic(receiver, rail)) for node in senders]
    return send(simulation, f"incast {receiver}", pairs)


def paused(simulation: Simulation[World], port: str) -> int:
    """Microseconds in which a port was kept from sending RoCE."""
    return counters.paused(simulation.world, port, simulation.now, PRIORITY)

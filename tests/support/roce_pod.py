"""The packaged site with RoCE, without standing work: sixteen nodes on eight leaves and two spines."""

from __future__ import annotations

from engine.kernel.simulation import Simulation
from engine.physics.traffic import exchange
from engine.simulation import open_site
from engine.sites.model import StandingModel
from engine.world.records import Flow, ServiceClass
from engine.world.world import World

SITE = "hgx-h200-roce"
RATE = 390_000_000_000


def pod(seed: int = 1) -> Simulation[World]:
    """A new simulation."""
    return open_site(SITE, seed, standing=StandingModel(jobs=[], queue=[]))


def send(simulation: Simulation[World], source: str, destination: str, dscp: int = 0) -> str:
    """A flow at about the rate of a link from one node's first adapter to another's. Gives its owner."""
    owner = f"test/{source}/{destination}"
    service = ServiceClass(dscp=dscp)
    exchange.open_bundle(
        simulation, owner, [Flow(f"{source}/mlx5_0/1", f"{destination}/mlx5_0/1", RATE, service=service)]
    )
    return owner


def incast(simulation: Simulation[World], destination: str = "hgx-03") -> None:
    """Three nodes send to one at once."""
    for source in ("hgx-01", "hgx-02", "hgx-04"):
        send(simulation, source, destination)

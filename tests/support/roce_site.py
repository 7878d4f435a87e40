"""A site whose compute HCAs are Ethernet (RoCE): two HGX H100 servers and one Spectrum-4 switch."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from engine.kernel.documents import read_document
from engine.kernel.simulation import Simulation
from engine.simulation import new_simulation
from engine.sites.build import build_inventory
from engine.world.inventory import Inventory
from engine.world.world import World

_FILE = Path(__file__).parent / "sites" / "roce-test.yaml"


@cache
def inventory() -> Inventory:
    """The site `roce-test`."""
    return build_inventory(read_document(_FILE.read_text("utf-8"), _FILE.name), {})


def simulation(seed: int = 1) -> Simulation[World]:
    """A new simulation of the site."""
    return new_simulation(inventory(), seed)

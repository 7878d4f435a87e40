"""The whole first site, and short ways to what its systems say."""

from __future__ import annotations

from functools import cache

from engine.control import journald
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.simulation import new_simulation
from engine.sites.build import load_site
from engine.world.inventory import Inventory
from engine.world.world import World

NODE, OTHER, HEAD = "dgx-01", "dgx-04", "head-01"
BOOT_TAKES = 5 * MINUTE


@cache
def inventory() -> Inventory:
    """Of the site as it is packaged; what follows from it alone is worked out once for all tests."""
    return load_site("dgx-h100-4")


def site(seed: int = 1, overrides: dict[str, str] | None = None) -> Simulation[World]:
    return new_simulation(load_site("dgx-h100-4", overrides) if overrides else inventory(), seed)


def texts(simulation: Simulation[World], host: str, source: str = "") -> list[str]:
    """What was written to a host's journal since the site opened."""
    entries = journald.entries(simulation.world, host, 0)
    return [entry.text for entry in entries if source in ("", entry.source)]

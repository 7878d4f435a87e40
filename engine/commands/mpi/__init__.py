"""Open MPI's launcher: on every host of a site, as Ubuntu's package openmpi-bin."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether Open MPI is on `host`."""
    return host in inventory.node_names

"""Commands of pciutils, which Ubuntu installs on every host."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Every host has pciutils."""
    return True

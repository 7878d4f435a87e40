"""Commands that every Linux host has: files, processes, logs, services, network, logins, running things elsewhere."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Every host is an Ubuntu machine."""
    return True

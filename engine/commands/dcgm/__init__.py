"""DCGM's programs on GPU nodes: dcgmi, nv-hostengine."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether the programs are on `host`."""
    return bool(inventory.node(host).gpus)

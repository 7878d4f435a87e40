"""Commands of the NVIDIA driver: installed on hosts that have GPUs."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether the driver's tools are on `host`."""
    return bool(inventory.node(host).gpus)

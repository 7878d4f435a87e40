"""Docker, the tools of the NVIDIA container toolkit, and enroot: installed on hosts that have GPUs."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether the container engines are on `host`."""
    return bool(inventory.node(host).gpus)

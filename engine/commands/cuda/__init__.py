"""CUDA programs that operators build and install on GPU nodes: nvbandwidth, and samples of CUDA's cuda-samples."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether the programs are on `host`."""
    return bool(inventory.node(host).gpus)

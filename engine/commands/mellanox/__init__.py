"""NVIDIA's tools for network cards (MFT 4.30): installed on hosts that have RDMA devices."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether the tools are on `host`."""
    return bool(inventory.node(host).hcas)

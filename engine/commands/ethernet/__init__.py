"""Tools for Ethernet adapters and RoCE (mlnx-tools of MLNX_OFED 24.10, iproute2, lldpd): on hosts with RDMA devices."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether the tools are on `host`."""
    return bool(inventory.node(host).hcas)

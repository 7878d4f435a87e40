"""perftest of MLNX_OFED 24.10: installed on hosts that have RDMA devices."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether the RDMA tools are on `host`."""
    return bool(inventory.node(host).hcas)

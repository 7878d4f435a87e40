"""NCCL's performance tests (nccl-tests), built with MPI=1 and installed by hand on hosts with GPUs."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether the tests are on `host`."""
    return bool(inventory.node(host).gpus)

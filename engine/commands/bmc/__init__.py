"""Commands that talk to a node's BMC: installed on every host."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether the tools are on `host`."""
    return host in inventory.node_index

"""Docker's client: on GPU nodes whose containers are dockerd's; nodes of a Kubernetes cluster have containerd alone."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether Docker is on `host`."""
    node = inventory.node(inventory.pattern(host))
    return bool(node.gpus) and "kubernetes" not in node.clusters

"""Kubernetes' clients: on the cluster's nodes, and on the login host of a site that has one."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Whether the packages of Kubernetes are on `host`."""
    cluster = inventory.kubernetes
    return cluster is not None and (host in cluster.nodes or host == inventory.login_host)

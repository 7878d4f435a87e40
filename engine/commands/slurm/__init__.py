"""Slurm's commands. They ask slurmctld, wherever they are typed; a site without partitions has none of them."""

from __future__ import annotations

from engine.world.inventory import Inventory


def available(inventory: Inventory, host: str) -> bool:
    """Every host of a site that runs Slurm."""
    return bool(inventory.partitions)

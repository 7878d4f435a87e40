"""/etc/slurm: the same configuration on every host, as Slurm's own part gives it; present where the site runs Slurm."""

from __future__ import annotations

from engine.control.slurm.files import DIRECTORY as SLURM_DIRECTORY
from engine.control.slurm.files import default_files
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory, file


def present(machine: Machine) -> bool:
    """Whether there is a cluster to configure."""
    return bool(machine.inventory.partitions)


def _table(machine: Machine) -> Children:
    files = default_files(machine.inventory)
    return {path.removeprefix(f"{SLURM_DIRECTORY}/"): file(text) for path, text in files.items()}


DIRECTORY = directory(_table, fixed=True)

"""/etc/slurm: the same configuration on every host, as Slurm's own part gives it; present where the site runs Slurm."""

from __future__ import annotations

from engine.control.slurm.files import DIRECTORY as SLURM_DIRECTORY
from engine.control.slurm.files import controller_host, default_files, slurmdbd_conf
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file

SLURM = 64030


def present(machine: Machine) -> bool:
    """Whether there is a cluster to configure."""
    return bool(machine.inventory.partitions)


def _table(machine: Machine) -> Children:
    files = default_files(machine.inventory)
    table: dict[str, Node] = {path.removeprefix(f"{SLURM_DIRECTORY}/"): file(text) for path, text in files.items()}
    if machine.host == controller_host(machine.inventory):
        secret = slurmdbd_conf(machine.inventory)
        table["slurmdbd.conf"] = file(secret, 0o600, uid=SLURM, gid=SLURM)
    return table


DIRECTORY = directory(_table, fixed=True)

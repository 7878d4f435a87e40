"""/etc/opensm on hosts that have opensm: opensm.conf, and on the host that manages the site's fabric its
partitions.conf.
"""

from __future__ import annotations

from engine.control.service_state import find
from engine.control.subnet_manager import default_file
from engine.control.subnet_manager.lids import host_of_manager
from engine.control.subnet_manager.managers import UNIT
from engine.control.subnet_manager.partitions import DEFAULT_FILE
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory, file


def present(machine: Machine) -> bool:
    """Whether opensm is installed on the host."""
    return find(machine.world, machine.host, UNIT) is not None


def _settings(machine: Machine) -> str:
    return default_file.text(machine.inventory, machine.host)


def _table(machine: Machine) -> Children:
    own = host_of_manager(machine.inventory)
    managed = own is not None and own.node == machine.host
    return {"opensm.conf": file(_settings), **({"partitions.conf": file(DEFAULT_FILE)} if managed else {})}


DIRECTORY = directory(_table, fixed=True)

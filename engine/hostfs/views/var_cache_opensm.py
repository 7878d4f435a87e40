"""/var/cache/opensm: the LIDs that opensm keeps, on hosts where it has run. Who has only stood by has an empty file."""

from __future__ import annotations

from engine.control.subnet_manager import lid_file
from engine.control.subnet_manager.lids import host_of_manager
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory, file
from engine.hostfs.views import etc_opensm


def present(machine: Machine) -> bool:
    """Whether opensm has ever run on the host."""
    own = host_of_manager(machine.inventory)
    ran = (own is not None and own.node == machine.host) or machine.host in machine.world.managers.changed()
    return ran and etc_opensm.present(machine)


def _kept(machine: Machine) -> str:
    own = host_of_manager(machine.inventory)
    return lid_file.text(lid_file.remembered(machine.world)) if own and own.node == machine.host else ""


def _table(_: Machine) -> Children:
    return {"guid2lid": file(_kept)}


DIRECTORY = directory(_table, fixed=True)

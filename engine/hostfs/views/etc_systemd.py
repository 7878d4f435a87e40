"""/etc/systemd: the administrator's side of systemd: which units are enabled, and drop-ins that people write."""

from __future__ import annotations

from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory
from engine.hostfs.views._systemd_units import links_to_wanted
from engine.hostfs.views._texts import texts


def _table(_machine: Machine) -> Children:
    return {**texts("etc/systemd"), "network": directory(), "system": directory(links_to_wanted), "user": directory()}


DIRECTORY = directory(_table, fixed=True)

"""/etc/docker: the configuration of dockerd, as it was when the node was installed."""

from __future__ import annotations

from engine.control.containers import daemon
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import directory, file


def present(machine: Machine) -> bool:
    """Whether Docker is on this host."""
    return bool(machine.node.gpus) and "kubernetes" not in machine.node.clusters


DIRECTORY = directory({"daemon.json": file(daemon.DEFAULT)})

"""/etc/cni: the pod network as flannel wrote it for containerd."""

from __future__ import annotations

from engine.control.kubernetes import cni
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import directory, file


def present(machine: Machine) -> bool:
    """Whether this host is a node of a Kubernetes cluster."""
    return "kubernetes" in machine.node.clusters


DIRECTORY = directory({"net.d/10-flannel.conflist": file(cni.TEXT)})

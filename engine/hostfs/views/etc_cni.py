"""/etc/cni: the pod network as flannel wrote it for containerd, and before it Multus' file while its pod runs."""

from __future__ import annotations

from engine.control.kubernetes import cni
from engine.control.kubernetes.network_operator import multus
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file


def present(machine: Machine) -> bool:
    """Whether this host is a node of a Kubernetes cluster."""
    return "kubernetes" in machine.node.clusters


def _table(machine: Machine) -> Children:
    table: dict[str, Node] = {"net.d/10-flannel.conflist": file(cni.TEXT)}
    if multus.runs_on(machine.world, machine.host):
        table |= {"net.d/00-multus.conf": file(multus.configuration(), 0o600), "net.d/multus.d": directory()}
    return table


DIRECTORY = directory(_table)

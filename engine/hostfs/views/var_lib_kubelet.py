"""/var/lib/kubelet: the kubelet's configuration as kubeadm wrote it, and the sockets of device plugins."""

from __future__ import annotations

from engine.control.kubernetes import devices
from engine.control.kubernetes.kubelet import configuration
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file


def present(machine: Machine) -> bool:
    """Whether this host is a node of a Kubernetes cluster."""
    return "kubernetes" in machine.node.clusters


def _table(machine: Machine) -> Children:
    table: dict[str, Node] = {"config.yaml": file(lambda machine: configuration.default_text(machine.world))}
    table["device-plugins"] = directory({"kubelet_internal_checkpoint": file("", 0o600)}, 0o750)
    for resource, count in devices.allocatable(machine.world, machine.host).items():
        if resource.startswith("nvidia.com/") and count:
            table[f"device-plugins/nvidia-{resource.partition('/')[2]}.sock"] = file("", 0o755)
    table["device-plugins/kubelet.sock"] = file("", 0o755)
    return table


DIRECTORY = directory(_table)

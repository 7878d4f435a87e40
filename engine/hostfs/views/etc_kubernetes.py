"""/etc/kubernetes of a kubeadm cluster's nodes: static pods, kubeconfigs and certificates (their texts stand for no
keys).
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control.kubernetes import control_plane, kubeconfigs, registries, static_pods, yaml_text
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file

_CERTIFICATES = (
    "apiserver",
    "apiserver-etcd-client",
    "apiserver-kubelet-client",
    "front-proxy-ca",
    "front-proxy-client",
)


def present(machine: Machine) -> bool:
    """Whether this host is a node of the cluster."""
    return "kubernetes" in machine.node.clusters


def _table(machine: Machine) -> Children:
    table: dict[str, Node] = {
        "kubelet.conf": file(_kubeconfig, 0o600),
        "manifests": directory(),
        "pki/ca.crt": file(registries.authority(machine.world, 0)),
    }
    if "control-plane" not in machine.node.clusters:
        return table
    for name in control_plane.STATIC_PODS:
        table[f"manifests/{name}.yaml"] = file(_manifest(name), 0o600)
    for name in ("admin", "super-admin", "controller-manager", "scheduler"):
        table[f"{name}.conf"] = file(_kubeconfig, 0o600)
    for name in _CERTIFICATES:
        table[f"pki/{name}.crt"] = file(registries.authority(machine.world, 0))
        table[f"pki/{name}.key"] = file("", 0o600)
    table["pki/ca.key"] = file("", 0o600)
    table["pki/etcd/ca.crt"] = file(registries.authority(machine.world, 1))
    return table


def _manifest(name: str) -> Callable[[Machine], str]:
    return lambda machine: yaml_text.dump(static_pods.manifest(machine.world, name))


def _kubeconfig(machine: Machine) -> str:
    return kubeconfigs.administrator(machine.world)


DIRECTORY = directory(_table)

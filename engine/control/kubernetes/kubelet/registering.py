"""The Node that a kubelet registers when it starts and finds none of its name (pkg/kubelet/kubelet_node_status.go),
with what kubeadm and flannel put on it.
"""

from __future__ import annotations

from engine.control import host_names
from engine.control.kubernetes import cni, creating, store
from engine.control.kubernetes.objects import KubeDict
from engine.kernel.simulation import Simulation
from engine.world.world import World


def register(simulation: Simulation[World], host: str, created: str = "") -> None:
    """The kubelet of a host makes its Node, if there is none; `created` sets back its time."""
    world = simulation.world
    if store.exists(world, store.NODES, f"/{host}"):
        return
    node = creating.admit(simulation, store.NODES, _node(world, host))
    if created:
        node["metadata"]["creationTimestamp"] = created
    world.kube_nodes[host] = world.kube_nodes[host]
    store.put(simulation, store.NODES, node)


def _node(world: World, host: str) -> KubeDict:
    main = "control-plane" in world.node(host).clusters
    labels = {
        "beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": host, "kubernetes.io/os": "linux",
    }  # fmt: skip
    if main:
        labels |= {
            "node-role.kubernetes.io/control-plane": "",
            "node.kubernetes.io/exclude-from-external-load-balancers": "",
        }
    spec: KubeDict = {"podCIDR": cni.subnet(world, host), "podCIDRs": [cni.subnet(world, host)]}
    if main:
        spec["taints"] = [{"effect": "NoSchedule", "key": "node-role.kubernetes.io/control-plane"}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"annotations": _notes(world, host), "labels": labels, "name": host},
        "spec": spec,
    }


def _notes(world: World, host: str) -> dict[str, str]:
    return {
        "flannel.alpha.coreos.com/backend-type": "vxlan", "flannel.alpha.coreos.com/kube-subnet-manager": "true",
        "flannel.alpha.coreos.com/public-ip": host_names.resolve(world, host) or "",
        "kubeadm.alpha.kubernetes.io/cri-socket": "unix:///var/run/containerd/containerd.sock",
        "node.alpha.kubernetes.io/ttl": "0", "volumes.kubernetes.io/controller-managed-attach-detach": "true",
    }  # fmt: skip

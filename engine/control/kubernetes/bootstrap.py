"""A cluster that has been up for a while when its site opens: its past is played by the same controllers and kubelets.

The cluster's objects come some days before the start, after every node's last boot; what people applied comes at its
own time. Images that were pulled then are there; what happened longer ago than an hour is no event any more.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files as package_files
from typing import Any

from engine.control.kubernetes import control_plane, creating, registries, resources, static_pods, store
from engine.control.kubernetes.gpu_operator import release
from engine.control.kubernetes.kubelet import registering
from engine.control.kubernetes.network_operator import policy
from engine.control.kubernetes.objects import KubeDict, time_text
from engine.kernel.documents import read_document
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY, HOUR, SECOND
from engine.world.world import World

Sim = Simulation[World]
_INSTALLED = (
    "roles.yaml", "system.yaml", "gpu_operator/operator.yaml", "network_operator/operator.yaml", "batch/operators.yaml",
)  # fmt: skip
_NAMESPACES = (
    "kube-system", "kube-flannel", "local-path-storage", "gpu-operator", "nvidia-network-operator", "mpi-operator",
    "kubeflow", "kai-scheduler",
)  # fmt: skip
_AGE, _BEGINS = 62 * DAY, 8 * DAY + 19 * HOUR + 1734 * SECOND


def start(simulation: Sim) -> None:
    """Play the cluster's past, if the site has one."""
    cluster = simulation.world.inventory.kubernetes
    if cluster is None:
        return
    simulation.now = -_BEGINS
    created = time_text(simulation.world.inventory, -_AGE)
    for host in cluster.nodes:
        registering.register(simulation, host, created)
    for manifest in (*_system(simulation.world), *release.secrets(simulation.world, -_AGE)):
        _apply(simulation, manifest)
    for host in cluster.control_plane:
        for name in control_plane.STATIC_PODS:
            _present(simulation, host, static_pods.image(simulation.world, name))
            static_pods.mirror(simulation, host, name)
    for age, text in sorted(cluster.workloads, key=lambda each: -each[0]):
        _until(simulation, -age if age < _BEGINS - HOUR else -_BEGINS + HOUR)
        _apply(simulation, json.loads(text), age)
    _until(simulation, 0)


def _until(simulation: Sim, time: int) -> None:
    """Let the past go on to a moment; nothing of it is anybody's action."""
    simulation.advance_to(time)


@cache
def _text() -> list[Any]:
    """What kubeadm and the first charts install: the cluster's own, and the GPU Operator's."""
    found: list[Any] = []
    for name in _INSTALLED:
        text = package_files("engine.control.kubernetes").joinpath(name).read_text("utf-8")
        document: Any = read_document(text, f"engine/control/kubernetes/{name}").data
        found += document["items"]
    for each in list(found):
        if each["kind"] == "NicClusterPolicy":
            found += policy.daemon_sets(each)
    return found


def _system(world: World) -> list[KubeDict]:
    """The manifests of system.yaml with the site's addresses, and the name and link type of its RDMA devices."""
    cluster = world.inventory.kubernetes
    assert cluster is not None
    text = json.dumps(_text()).replace("{pods}", cluster.pod_network)
    for number in (1, 10):
        text = text.replace(f"{{service:{number}}}", control_plane.service_address(world, number))
    worker = world.node(cluster.workers[0])
    if all(hca.link_layer == "Ethernet" for hca in worker.hcas):
        text = text.replace("rdma_shared_device_ib", "rdma_shared_device_a").replace("infiniband", "ether")
    found: list[KubeDict] = json.loads(text)
    return found


def _apply(simulation: Sim, manifest: KubeDict, age: int = _AGE) -> None:
    """Somebody creates an object. Its images come to the nodes without delay: they were pulled long ago."""
    world = simulation.world
    resource = resources.of_kind(world, manifest["apiVersion"], manifest["kind"])
    assert resource is not None, manifest
    if resource.namespaced:
        manifest["metadata"].setdefault("namespace", "default")
    if manifest["kind"] != "Namespace":
        _needs(simulation, manifest)
    made = creating.admit(simulation, resource.store, manifest)
    made["metadata"]["creationTimestamp"] = time_text(world.inventory, -max(age, -simulation.now))
    store.put(simulation, resource.store, made)


def _needs(simulation: Sim, manifest: KubeDict) -> None:
    """Service accounts that pods name, and images of system pods."""
    spec = manifest.get("spec") or {}
    pod = (spec.get("template") or {}).get("spec") or (spec if manifest["kind"] == "Pod" else {})
    namespace, account = manifest["metadata"].get("namespace"), pod.get("serviceAccountName")
    if account and not store.exists(simulation.world, "serviceaccounts", f"{namespace}/{account}"):
        metadata = {"name": account, "namespace": namespace}
        creating.make(
            simulation, "serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}
        )
    cluster = simulation.world.inventory.kubernetes
    assert cluster is not None
    if namespace in _NAMESPACES:
        for host in cluster.nodes:
            for each in [*(pod.get("initContainers") or ()), *(pod.get("containers") or ())]:
                gpu = each["image"].startswith("nvcr.io/nvidia/") and "-operator:" not in each["image"]
                if not gpu or simulation.world.node(host).gpus:
                    _present(simulation, host, each["image"])
            _present(simulation, host, "registry.k8s.io/pause:3.10")


def _present(simulation: Sim, host: str, image: str) -> None:
    registries.keep(simulation, host, registries.canonical(image))

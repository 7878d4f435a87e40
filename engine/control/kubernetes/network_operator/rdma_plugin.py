"""The shared RDMA device plugin (k8s-rdma-shared-dev-plugin 1.5) and the policy that configures it.

Each resource of the policy's `config` offers `rdmaHcaMax` devices on a node where at least one adapter fits its
selectors (vendors, deviceIDs, ifNames, linkTypes: within one any, all of them), and none where no adapter does: then
the resource is there with 0. The operator hands a changed configuration on by new pods. Sources: the plugin's README
and pkg/resources/server.go; Mellanox/network-operator#438 (a count of zero). Log texts: its sources, as remembered.
"""

from __future__ import annotations

import json
from typing import Any

from engine.control.kubernetes import control_plane, deleting, devices, store, workload_status
from engine.control.kubernetes.kubelet import runs
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.programs import Launch, Program
from engine.kernel.calendar import utc
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND
from engine.world.inventory import Hca
from engine.world.kubernetes_events import KubeObjectChanged
from engine.world.records import KubeDevice
from engine.world.world import World

Sim = Simulation[World]
POLICIES = "nicclusterpolicies.mellanox.com"
_PODS = "nvidia-network-operator/rdma-shared-dp-ds"
_VENDOR = "15b3"
_STATES = (
    "state-pod-security-policy", "state-multus-cni", "state-container-networking-plugins", "state-ipoib-cni",
    "state-whereabouts-cni", "state-OFED", "state-SRIOV-device-plugin", "state-RDMA-device-plugin",
    "state-ib-kubernetes", "state-nv-ipam-cni",
)  # fmt: skip


def resources(world: World) -> list[KubeDict]:
    """What the policy's configuration lists; nothing where it is no JSON."""
    policy: KubeDict = next(store.objects(world, POLICIES), {})
    text = str((policy.get("spec", {}).get("rdmaSharedDevicePlugin") or {}).get("config", ""))
    try:
        found: list[KubeDict] = json.loads(text)["configList"]
    except (ValueError, KeyError, TypeError):
        return []
    return found


def matching(world: World, node: str, resource: KubeDict) -> list[Hca]:
    """The adapters of a node that a resource's selectors take."""
    return [hca for hca in world.node(node).hcas if _fits(hca, resource.get("selectors") or {})]


def _fits(hca: Hca, selectors: dict[str, Any]) -> bool:
    values = {
        "vendors": _VENDOR, "deviceIDs": hca.pci_id.rpartition(":")[2], "ifNames": hca.netdev,
        "linkTypes": "infiniband" if hca.link_layer == "InfiniBand" else "ether",
    }  # fmt: skip
    return all(not wanted or values.get(name) in wanted for name, wanted in selectors.items())


def name_of_resource(resource: KubeDict) -> str:
    """`rdma/rdma_shared_device_ib`."""
    return f"{resource.get('resourcePrefix', 'rdma')}/{resource['resourceName']}"


def program(simulation: Sim, launch: Launch) -> Program:
    """What the plugin does: it registers, and writes what it has found."""
    texts = ["Starting K8s RDMA Shared Device Plugin version= v1.5.2", "Using Kubelet Plugin Registry Mode"]
    texts += ["resource manager reading configs", "Discovering host devices", "discovering host network devices"]
    for each in resources(simulation.world):
        if not matching(simulation.world, launch.node, each):
            texts.append(
                f"Warning: no devices in device pool, creating empty resource server for {each['resourceName']}"
            )
    for each in resources(simulation.world):
        name = name_of_resource(each)
        texts.append(f"starting {name} device plugin endpoint at: {each['resourceName']}.sock")
        texts.append(f"{name} device plugin endpoint started serving")
    texts += ["All servers started.", "Listening for term signals"]
    moment = utc(simulation.world.inventory.start + simulation.now)
    return Program(
        lines=tuple((n * 30 * MILLISECOND, f"{moment:%Y/%m/%d %H:%M:%S} {text}") for n, text in enumerate(texts))
    )


def status(simulation: Sim, thing: KubeDict) -> KubeDict:
    """The status of the policy."""
    daemons = store.look(simulation.world, store.DAEMON_SETS, _PODS)
    counts = workload_status.daemon_set(simulation, daemons) if daemons else {}
    ready = bool(counts) and counts.get("numberReady", 0) == counts["desiredNumberScheduled"]
    own = "ready" if ready else "notReady"
    states = [{"name": name, "state": own if "RDMA" in name else "ignore"} for name in _STATES]
    return {"appliedStates": states, "state": own if thing["spec"].get("rdmaSharedDevicePlugin") else "ignore"}


def _changed(simulation: Sim, event: KubeObjectChanged) -> None:
    """A plugin's pod has started or ended, or the policy has changed."""
    world = simulation.world
    if event.store == store.PODS and event.key.startswith(f"{_PODS}-"):
        for node in world.kube_nodes.changed():
            _check(simulation, node)
    elif event.store == POLICIES and not event.gone and control_plane.controls(world):
        for key in store.keys(world, store.PODS, _PODS.partition("/")[0]):
            if key.startswith(f"{_PODS}-") and _is_old(world, key):
                deleting.pod(simulation, key)


def _is_old(world: World, key: str) -> bool:
    """Whether a plugin offers something else than the policy asks for."""
    node = world.kube_pods[key].node if key in world.kube_pods else ""
    return bool(node) and _offers(world, node) != {
        each.resource: each.devices for each in world.kube_nodes[node].plugins if each.resource.startswith("rdma/")
    }


def _offers(world: World, node: str) -> dict[str, tuple[KubeDevice, ...]]:
    return {
        name_of_resource(each): tuple(
            KubeDevice(str(number))
            for number in range(int(each.get("rdmaHcaMax", 0)) if matching(world, node, each) else 0)
        )
        for each in resources(world)
    }


def _check(simulation: Sim, node: str) -> None:
    """The kubelet of a node learns of its plugin, or that it has gone."""
    world = simulation.world
    running = ""
    for key, run in runs.of_node(world, node):
        if key.startswith(f"{_PODS}-"):
            running = next((each.id for each in run.containers if each.state == "running"), running)
    known = [each for each in world.kube_nodes[node].plugins if each.resource.startswith("rdma/")]
    for each in known:
        if each.connected and each.owner != running:
            devices.disconnect(simulation, node, each.resource)
    if running and runs.works(world, node):
        for resource, offered in _offers(world, node).items():
            plugin = devices.plugin(world, node, resource)
            if plugin is None or not plugin.connected or plugin.owner != running:
                devices.register(simulation, node, resource, offered, running)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((KubeObjectChanged, _changed),)

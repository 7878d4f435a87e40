"""The status of a Node: what its kubelet posts, and what the node controller makes of a silent one.

Capacity follows from the hardware and the device plugins; allocatable is less by the kubelet's hard eviction threshold
(memory.available 100Mi, nodefs.available 10 %). Conditions: pkg/kubelet/nodestatus/setters.go and
pkg/controller/nodelifecycle. The kubelet posts every 10 s to its lease and every 5 minutes its whole status while
nothing changes (nodeStatusReportFrequency).
"""

from __future__ import annotations

from engine.control import host_names, kernel_image, usage
from engine.control.kubernetes import devices
from engine.control.kubernetes.objects import KubeDict, amount, milli, time_text
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import GIB, KIB, MIB, MINUTE, SECOND
from engine.world.inventory import Node, uuid_text
from engine.world.world import World

LEASE_PERIOD, REPORT_PERIOD = 10 * SECOND, 5 * MINUTE
MOST_PODS = 110
_EVICTION_MEMORY = 100 * MIB
_QUIET = (
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
)
_UNKNOWN = "NodeStatusUnknown", "Kubelet stopped posting node status."


def heartbeat(simulation: Simulation[World], node: str, period: int = LEASE_PERIOD) -> int:
    """When the kubelet last renewed its lease, or with another period last posted its status."""
    state = simulation.world.kube_nodes[node]
    last = simulation.now if state.silent is None else state.silent
    phase = hash64(simulation.seed, "kubelet", node) % period
    beat = (last - phase) // period * period + phase
    return max(beat, state.since) if period == REPORT_PERIOD and state.since is not None else beat


def status(simulation: Simulation[World], thing: KubeDict) -> KubeDict:
    """The status of a Node."""
    world, name = simulation.world, thing["metadata"]["name"]
    node = world.node(name)
    return {
        "addresses": [
            {"address": host_names.resolve(world, name), "type": "InternalIP"},
            {"address": name, "type": "Hostname"},
        ],
        "allocatable": allocatable(world, node),
        "capacity": capacity(world, node),
        "conditions": _conditions(simulation, thing),
        "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
        "images": _images(world, name),
        "nodeInfo": _info(world, node),
    }


def capacity(world: World, node: Node) -> KubeDict:
    """What a node has, as quantities."""
    found = {
        "cpu": str(kernel_image.cpus(node)),
        "ephemeral-storage": f"{_root_bytes(node) // KIB}Ki",
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
        "memory": f"{_memory_kib(world, node)}Ki",
        "pods": str(MOST_PODS),
    }
    found |= {key: str(count) for key, count in devices.capacity(world, node.name).items()}
    return dict(sorted(found.items()))


def allocatable(world: World, node: Node) -> KubeDict:
    """What pods may ask for, as quantities."""
    found = capacity(world, node)
    found["ephemeral-storage"] = str(_root_bytes(node) - _root_bytes(node) // 10)
    found["memory"] = f"{_memory_kib(world, node) - _EVICTION_MEMORY // KIB}Ki"
    return found | {key: str(count) for key, count in devices.allocatable(world, node.name).items()}


def amounts(world: World, node: Node) -> dict[str, int]:
    """Allocatable as numbers: CPU in thousandths, memory and storage in bytes, others in pieces."""
    return {name: milli(value) if name == "cpu" else amount(value) for name, value in allocatable(world, node).items()}


def _conditions(simulation: Simulation[World], thing: KubeDict) -> list[KubeDict]:
    world, name = simulation.world, thing["metadata"]["name"]
    state, created = world.kube_nodes[name], thing["metadata"]["creationTimestamp"]
    since = created if state.since is None else time_text(world.inventory, state.since)
    beat = time_text(world.inventory, heartbeat(simulation, name, REPORT_PERIOD))
    silent = state.ready == "Unknown"
    rows = [
        (kind, "Unknown", *_UNKNOWN) if silent else (kind, "False", reason, message)
        for kind, reason, message in _QUIET
    ]  # fmt: skip
    found = [
        _condition(kind, value, reason, message, beat, since if silent else created)
        for kind, value, reason, message in rows
    ]
    network = ("NetworkUnavailable", "False", "FlannelIsUp", "Flannel is running on this node", created, created)
    ready = _condition("Ready", state.ready, state.reason, state.message, beat, since)
    return [_condition(*network), *found, ready]


def _condition(kind: str, value: str, reason: str, message: str, beat: str, since: str) -> KubeDict:
    return {
        "lastHeartbeatTime": beat, "lastTransitionTime": since, "message": message, "reason": reason, "status": value,
        "type": kind,
    }  # fmt: skip


def _images(world: World, node: str) -> list[KubeDict]:
    """The largest 50 images of the node."""
    from engine.control.kubernetes import registries

    held = sorted(registries.held(world, node), key=lambda each: -each.bytes)[:50]
    return [{"names": [f"{each.repository}@{each.digest}", each.reference], "sizeBytes": each.bytes} for each in held]


def _info(world: World, node: Node) -> KubeDict:
    versions = world.software
    version = f"v{versions.get('kubernetes', '')}"
    boot = kernel_image.boot_id(world, node.name, world.nodes[node.name].booted_at)
    return {
        "architecture": "amd64",
        "bootID": "-".join((boot[:8], boot[8:12], boot[12:16], boot[16:20], boot[20:])),
        "containerRuntimeVersion": f"containerd://{versions.get('containerd', '')}",
        "kernelVersion": kernel_image.running(world, node.name),
        "kubeProxyVersion": version,
        "kubeletVersion": version,
        "machineID": kernel_image.machine_id(world.inventory, node.name),
        "operatingSystem": "linux",
        "osImage": versions["os"],
        "systemUUID": uuid_text(world.inventory.name, node.name, "smbios"),
    }


def _memory_kib(world: World, node: Node) -> int:
    return usage.memory(world, node.name).total


def _root_bytes(node: Node) -> int:
    sizes = [drive.bytes for drive in node.drives if drive.purpose == "boot"] or [100 * GIB]
    return sizes[0] * 984 // 1000


def roles(thing: KubeDict) -> str:
    """The roles of a node, as the printer lists them."""
    prefix = "node-role.kubernetes.io/"
    labels = thing["metadata"].get("labels") or {}
    found = sorted(key.removeprefix(prefix) for key in labels if key.startswith(prefix))
    return ",".join(found) or "<none>"

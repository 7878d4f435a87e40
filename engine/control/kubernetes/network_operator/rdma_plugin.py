"""The shared RDMA device plugin (k8s-rdma-shared-dev-plugin 1.5).

Each resource of the policy's `config` offers `rdmaHcaMax` devices on a node where at least one adapter fits its
selectors (vendors, deviceIDs, ifNames, linkTypes: within one any, all of them), and none where no adapter does: then
the resource is there with 0. The operator hands a changed configuration on by new pods. Sources: the plugin's README
and pkg/resources/server.go; Mellanox/network-operator#438 (a count of zero). Log texts: its sources, as remembered.
"""

from __future__ import annotations

from typing import Any

from engine.control.kubernetes.device_plugins import socket
from engine.control.kubernetes.network_operator import settings
from engine.control.kubernetes.objects import KubeDict
from engine.control.kubernetes.programs import Launch, Program
from engine.kernel.calendar import utc
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND
from engine.world.inventory import Hca
from engine.world.records import KubeDevice
from engine.world.world import World

Sim = Simulation[World]
SECTION, DAEMON_SET = "rdmaSharedDevicePlugin", "rdma-shared-dp-ds"
_VENDOR = "15b3"


def resources(world: World) -> list[KubeDict]:
    """What the policy's configuration lists; nothing where it is no JSON."""
    return settings.listed(world, SECTION, "configList")


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
    for each in resources(simulation.world) if socket.reached(launch.pod) else ():
        name = name_of_resource(each)
        texts.append(f"starting {name} device plugin endpoint at: {each['resourceName']}.sock")
        texts.append(f"{name} device plugin endpoint started serving")
    if socket.reached(launch.pod):
        texts += ["All servers started.", "Listening for term signals"]
    moment = utc(simulation.world.inventory.start + simulation.now)
    return Program(
        lines=tuple((n * 30 * MILLISECOND, f"{moment:%Y/%m/%d %H:%M:%S} {text}") for n, text in enumerate(texts))
    )


def offered(world: World, node: str, resource: KubeDict) -> tuple[KubeDevice, ...]:
    """The devices that a resource has on a node: `rdmaHcaMax` of them, or none."""
    count = int(resource.get("rdmaHcaMax", 0)) if matching(world, node, resource) else 0
    return tuple(KubeDevice(str(number)) for number in range(count))

"""The SR-IOV network device plugin 3.8, as the Network Operator runs it for HostDeviceNetworks: whole adapters by
their PCI address.

Each resource of the policy's `config` offers the adapters that fit its selectors (vendors, devices, pfNames,
linkTypes, pciAddresses: within one any, all of them). A resource that no adapter fits is not registered at all,
unlike the shared plugin's. Source: sriov-network-device-plugin README and pkg/resources; log texts as remembered.
Virtual functions are not modelled: the adapters of these sites have none.
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
SECTION, DAEMON_SET = "sriovDevicePlugin", "sriov-device-plugin"
_VENDOR = "15b3"


def resources(world: World) -> list[KubeDict]:
    """What the policy's configuration lists."""
    return settings.listed(world, SECTION, "resourceList")


def name_of_resource(resource: KubeDict) -> str:
    """`nvidia.com/hostdev`."""
    return f"{resource.get('resourcePrefix', 'intel.com')}/{resource['resourceName']}"


def offered(world: World, node: str, resource: KubeDict) -> tuple[KubeDevice, ...]:
    """The adapters of a node that a resource's selectors take."""
    selectors = resource.get("selectors") or {}
    return tuple(KubeDevice(hca.address) for hca in world.node(node).hcas if _fits(hca, selectors))


def _fits(hca: Hca, selectors: dict[str, Any]) -> bool:
    values = {
        "vendors": _VENDOR, "devices": hca.pci_id.rpartition(":")[2], "pfNames": hca.netdev,
        "pciAddresses": hca.address,
        "linkTypes": "infiniband" if hca.link_layer == "InfiniBand" else "ether",
    }  # fmt: skip
    return all(values[name] in wanted for name, wanted in selectors.items() if wanted and name in values)


def program(simulation: Sim, launch: Launch) -> Program:
    """What the plugin does: it registers, and writes what it has found."""
    found = resources(simulation.world)
    texts = ["manager.go:57] Using Kubelet Plugin Registry Mode", "main.go:46] resource manager reading configs"]
    texts += ["main.go:61] Discovering host devices", "main.go:67] Initializing resource servers"]
    texts.append(f"manager.go:117] number of config: {len(found)}")
    served = []
    for each in found:
        name, count = each["resourceName"], len(offered(simulation.world, launch.node, each))
        texts.append(f"manager.go:121] Creating new ResourcePool: {name}")
        if count:
            texts.append(f"manager.go:138] initServers(): selector index 0 will register {count} devices")
            served.append(each)
        else:
            texts.append(f"manager.go:127] no devices in device pool, skipping creating resource server for {name}")
    texts.append("main.go:73] Starting all servers...")
    for each in served if socket.reached(launch.pod) else ():
        endpoint = name_of_resource(each).replace("/", "_")
        texts.append(f"server.go:254] starting {each['resourceName']} device plugin endpoint at: {endpoint}.sock")
        texts.append(f"server.go:282] {each['resourceName']} device plugin endpoint started serving")
    texts += ["main.go:80] All servers started.", "main.go:81] Listening for term signals"]
    moment = utc(simulation.world.inventory.start + simulation.now)
    head = f"I{moment:%m%d %H:%M:%S.%f}       1 "
    return Program(lines=tuple((n * 20 * MILLISECOND, head + text) for n, text in enumerate(texts)))

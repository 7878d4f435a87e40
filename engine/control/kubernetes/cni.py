"""The pod network of a node: flannel with VXLAN, as containerd and libcni find it.

containerd reads the first of /etc/cni/net.d by name. It was written by flannel's init container; without it the runtime
says that its network is not ready, and the node is not ready. Texts: containerd 1.7 (NetworkPluginNotReady), flannel's
CNI plugin.
"""

from __future__ import annotations

from ipaddress import ip_network

from engine.control import files
from engine.world.world import World

FOLDER = "/etc/cni/net.d"
CONFIGURATION = f"{FOLDER}/10-flannel.conflist"
TEXT = """{
  "name": "cbr0",
  "cniVersion": "0.3.1",
  "plugins": [
    {
      "type": "flannel",
      "delegate": {
        "hairpinMode": true,
        "isDefaultGateway": true
      }
    },
    {
      "type": "portmap",
      "capabilities": {
        "portMappings": true
      }
    }
  ]
}
"""


def configured(world: World, node: str) -> bool:
    """Whether containerd finds a network configuration on a node."""
    if not files.removed(world, node, CONFIGURATION):
        return True
    written = world.files[node].files
    return any(
        path.startswith(f"{FOLDER}/") and path.endswith((".conf", ".conflist", ".json")) and file is not None
        for path, file in written.items()
    )


def problem(world: World, node: str) -> str | None:
    """Why a sandbox gets no network, in the words of the plugin or of containerd; None where it gets one."""
    return None if configured(world, node) else "cni plugin not initialized"


def subnet(world: World, node: str) -> str:
    """The part of the pod network that a node has: the control plane's hosts first (`10.244.1.0/24`)."""
    cluster = world.inventory.kubernetes
    assert cluster is not None
    whole = ip_network(cluster.pod_network)
    place = cluster.nodes.index(node)
    return str(ip_network((int(whole.network_address) + place * 256, 24)))

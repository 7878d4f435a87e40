"""The network configuration of a node is gone: somebody cleaned /etc/cni/net.d. containerd says that its network is not
ready, so the node is NotReady, and no new pod gets a sandbox there (cni plugin not initialized); pods that run go on.
flannel's init container writes the file anew when its pod on that node is deleted.
"""

from __future__ import annotations

from engine.control import files
from engine.control.kubernetes import cni
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, _: Values) -> None:
    """Remove the file."""
    files.put(simulation, target, {cni.CONFIGURATION: None})


FAULT = Fault(
    id="kubernetes.network_missing",
    title="A node has lost its pod network's configuration",
    targets=("kube_node",),
    inject=inject,
    doc="The Ready condition names NetworkPluginNotReady. Delete the node's flannel pod; its init container writes it.",
)

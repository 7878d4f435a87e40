"""A change of MIG never ended on a node: its MIG manager was taken away while the other operands were paused for it
(nvidia.com/gpu.deploy.mig-manager=false, left from that day). nvidia.com/mig.config.state stays `pending`, device
plugin, feature discovery and DCGM exporter stay away (`paused-for-mig-change`), and the node has no GPU to give.
Letting the manager come back mends it: it takes the change up again and lets the others return.
"""

from __future__ import annotations

from engine.control.kubernetes import store
from engine.control.kubernetes.gpu_operator import mig_manager, operands
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, _: Values) -> None:
    """Leave the labels as they are in the middle of a change."""
    node = store.find(simulation.world, store.NODES, f"/{target}")
    if node is None:
        return
    labels = node["metadata"].setdefault("labels", {})
    labels |= {f"{operands.DEPLOY}{client}": mig_manager.PAUSED for client in mig_manager.CLIENTS}
    labels |= {f"{operands.DEPLOY}mig-manager": "false", mig_manager.STATE: "pending"}
    store.put(simulation, store.NODES, node)


FAULT = Fault(
    id="kubernetes.mig_manager_wedged",
    title="A change of MIG was left in its middle",
    targets=("kube_worker",),
    inject=inject,
    doc="State pending, operands paused-for-mig-change, no MIG manager. Set gpu.deploy.mig-manager=true on the node.",
)

"""A node is closed to the GPU Operator: somebody set the label nvidia.com/gpu.deploy.operands=false on it, as is done
before work on the driver, and it was left. The operator takes its labels off the node, and device plugin, feature
discovery, DCGM exporter, MIG manager and validator leave it; the kubelet still counts the GPUs as capacity but has none
to give. What runs goes on, nothing new that wants a GPU comes. Removing the label mends it.
"""

from __future__ import annotations

from engine.control.kubernetes import store
from engine.control.kubernetes.gpu_operator import operands
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, _: Values) -> None:
    """Label the node."""
    node = store.find(simulation.world, store.NODES, f"/{target}")
    if node is not None:
        node["metadata"].setdefault("labels", {})[operands.KEEP_AWAY] = "false"
        store.put(simulation, store.NODES, node)


FAULT = Fault(
    id="kubernetes.operands_disabled",
    title="A label keeps the GPU Operator away from a node",
    targets=("kube_worker",),
    inject=inject,
    doc="No operand has a pod there. kubectl label node NODE nvidia.com/gpu.deploy.operands- brings them back.",
)

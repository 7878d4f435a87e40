"""A GPU has registered with the NVLink fabric and got no place in it: state Completed, status Insufficient Resources. A
check that looks at the state alone passes the node again and again (Azure/azhpc-images#506). Its traffic with the other
GPUs goes over PCIe, and NVLink SHARP fails with it.

A new start of the fabric manager makes room, and the GPU takes its place with a reset; a restart of the node does both.
A reset alone changes nothing (guesses).
"""

from __future__ import annotations

from engine.control import nvlink_fabric
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The fabric manager has no place for it; a node without NVSwitches has no fabric."""
    if simulation.world.node(target.partition("/")[0]).nvswitches:
        nvlink_fabric.refuse(simulation, target)


FAULT = Fault(
    id="nvlink.fabric_refused",
    title="A GPU got no place in the NVLink fabric",
    targets=("gpu",),
    inject=inject,
    doc="Fabric state Completed, status Insufficient Resources. Restart the fabric manager, then reset the GPU.",
)

"""The NVSwitches of a node route by a partition that is no longer the GPUs' own: links are active and everything is
green, but no traffic between GPUs takes them (reports Dstack-TEE/dstack#1167, NVIDIA/gpu-driver-container#909).

Collectives run over PCIe and the host. Resetting every GPU under a running fabric manager, or a restart of the node,
mends it.
"""

from __future__ import annotations

from engine.control import nvlink_fabric
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The partition is stale from now on; a node without NVSwitches has none."""
    if simulation.world.node(target).nvswitches:
        nvlink_fabric.make_stale(simulation, target)


FAULT = Fault(
    id="nvlink.partition_stale",
    title="The NVSwitches route by a stale partition",
    targets=("gpu_node",),
    inject=inject,
    doc="Links are active, yet copies between GPUs run at PCIe's rate. Resetting all GPUs, or a restart, mends it.",
)

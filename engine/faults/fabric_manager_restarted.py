"""Somebody restarted the fabric manager of a node and reset no GPU afterwards: its groups for NVLink SHARP are stale.
NCCL fails where it sets up NVLS, everything without multicast works (NVIDIA/nccl#1488, #1562). Programs that run go on.

Resetting every GPU under the running fabric manager, or a restart of the node, mends it.
"""

from __future__ import annotations

from engine.control import systemd
from engine.control.nvlink_fabric import FABRIC_MANAGER
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Restart the service as an administrator does."""
    if simulation.world.node(target).nvswitches:
        simulation.apply(systemd.RestartUnit(target, FABRIC_MANAGER, "root"))


FAULT = Fault(
    id="fabric_manager.restarted",
    title="The fabric manager was restarted over GPUs in use",
    targets=("gpu_node",),
    inject=inject,
    doc="The journal has the restart, no GPU was reset since, NVLS fails in NCCL. Resetting all GPUs mends it.",
)

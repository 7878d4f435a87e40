"""A node's /etc/nccl.conf switches InfiniBand and RoCE off (NCCL_IB_DISABLE=1), as people do while they look for
something else. Jobs run over sockets; with ranks on other nodes that still want InfiniBand they cannot start.
"""

from __future__ import annotations

from engine.faults._nccl_configuration import set_for_node
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Leave the line behind."""
    set_for_node(simulation, target, "NCCL_IB_DISABLE", "1")


FAULT = Fault(
    id="nccl.ib_disabled",
    title="NCCL is told not to use InfiniBand",
    targets=("gpu_node",),
    inject=inject,
    doc="Nodes exchange data over TCP, at a hundredth of the rate. Take the line away and start the job anew.",
)

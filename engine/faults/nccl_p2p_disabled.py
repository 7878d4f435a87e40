"""A node's /etc/nccl.conf switches direct transfers between GPUs off (NCCL_P2P_DISABLE=1), a usual workaround for hangs
that is then forgotten. Everything runs through shared memory of the host.
"""

from __future__ import annotations

from engine.faults._nccl_configuration import set_for_node
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Leave the line behind."""
    set_for_node(simulation, target, "NCCL_P2P_DISABLE", "1")


FAULT = Fault(
    id="nccl.p2p_disabled",
    title="NCCL is told not to use NVLink between GPUs",
    targets=("gpu_node",),
    inject=inject,
    doc="GPUs exchange data through host memory, at a twentieth of the rate. Take the line away, start the job anew.",
)

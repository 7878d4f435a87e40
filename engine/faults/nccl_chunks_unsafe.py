"""A node's /etc/nccl.conf sets NCCL's network chunks for single sends to a size that the library cannot take:
all-to-all over several nodes is wrong, and MMU faults (Xid 31) come on GPUs of every node of the job, each time others
(NVIDIA/nccl#2408). The GPUs are well; taking the line away mends it.
"""

from __future__ import annotations

from engine.faults._nccl_configuration import set_for_node
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_VARIABLE = "NCCL_P2P_NET_CHUNKSIZE"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Leave the line behind."""
    set_for_node(simulation, target, _VARIABLE, str(values["bytes"]))


FAULT = Fault(
    id="nccl.chunks_unsafe",
    title="NCCL is told to use network chunks that are too large",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("bytes", "integer", "2097152", "The size of a chunk.", least=1 << 17, most=1 << 26),),
    doc="alltoall_perf over nodes counts wrong elements, Xid 31 on changing GPUs. Take the line away; no GPU is bad.",
)

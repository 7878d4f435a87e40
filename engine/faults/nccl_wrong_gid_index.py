"""A node's /etc/nccl.conf fixes the index of the RoCE address (GID) that NCCL uses, and the tables of its adapters have
another order. An entry that is not in use is refused when the connection is made (ibv_modify_qp: Invalid argument); one
that leads nowhere lets the first transfer end with status 12. InfiniBand within one subnet does not look at it.
"""

from __future__ import annotations

from engine.faults._nccl_configuration import set_for_node
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Leave the line behind."""
    set_for_node(simulation, target, "NCCL_IB_GID_INDEX", str(values["index"]))


FAULT = Fault(
    id="nccl.wrong_gid_index",
    title="NCCL is told to use a GID index that does not fit",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("index", "integer", "7", "The index in the GID table.", least=0, most=255),),
    doc="On RoCE connections fail when they are made or first used. Take the line away, or give the right index.",
)

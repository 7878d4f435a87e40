"""A node's /etc/nccl.conf names an interface for NCCL's first contact that the node does not have.

Ranks there find no socket interface and every job with one of them fails at its start; running jobs do not notice.
"""

from __future__ import annotations

from engine.faults._nccl_configuration import set_for_node
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Leave the line behind."""
    set_for_node(simulation, target, "NCCL_SOCKET_IFNAME", str(values["interface"]))


FAULT = Fault(
    id="nccl.wrong_interface",
    title="NCCL is told to use a network interface that is not there",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("interface", "text", "eth0", "The interface that NCCL is told to use."),),
    doc="Jobs fail at their start: no socket interface. Take the line away, or name one that all nodes have.",
)

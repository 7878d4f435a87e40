"""A node's BMC hangs while the node runs on: it logs nothing, and answers nobody (`all`), or nobody on the network
(`network`), where a reset from its own host brings it back. One that answers nobody needs all power off.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """It hangs."""
    simulation.world.bmcs.update(target, hung=str(values["scope"]))


FAULT = Fault(
    id="bmc.hung",
    title="A BMC hangs",
    targets=("node",),
    inject=inject,
    parameters=(Parameter("scope", "choice", "network", "Who gets no answer.", ("network", "all")),),
    doc="The node is well and cannot be managed. ipmitool mc reset cold from the node, or pulling its cords, mends it.",
)

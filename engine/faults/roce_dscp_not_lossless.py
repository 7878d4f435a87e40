"""A switch puts RoCE's DSCP into a priority that is not lossless (SONiC's default map has no line for DSCP 26).

Behind the switch RoCE shares a queue with everything else, without pause and marks: an incast through it loses packets,
one to one it works. Counters show its bytes in another priority where they leave the switch. A line in the map
of DSCPs mends it.
"""

from __future__ import annotations

from engine.faults import _ethernet
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import service
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """All ports of the switch map the site's DSCP of RoCE to another priority."""
    dscp = service.dscp(simulation.world.inventory.first_roce, 0)
    _ethernet.remap(simulation, target, dscp, int(values["priority"] or 0))


FAULT = Fault(
    id="roce.dscp_not_lossless",
    title="A switch does not know RoCE's DSCP",
    targets=("ethernet_switch",),
    inject=inject,
    parameters=(Parameter("priority", "integer", "1", "Where its packets go instead.", least=0, most=7),),
    doc="Losses in an incast behind the switch, in another priority than 3. Its map of DSCPs has to name RoCE's.",
)

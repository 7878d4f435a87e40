"""One member of a host's bond was set down. The bond stays up and has half of its rate; everything on it goes over the
other member, and one more failure takes the network away. /proc/net/bonding names the member.
"""

from __future__ import annotations

from engine.control import network
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Set the chosen member down."""
    bond = next(each for each in simulation.world.inventory.node(target).addresses if each.members)
    member = bond.members[int(values["member"] or 0) % len(bond.members)]
    network.SetInterface(target, member, False).perform(simulation)


FAULT = Fault(
    id="bond.member_down",
    title="A member of a host's bond is down",
    targets=("bonded_node",),
    inject=inject,
    parameters=(Parameter("member", "integer", "1", "Which one, from 0.", least=0, most=1),),
    doc="The bond has half of its rate and no spare. ip link set dev MEMBER up.",
)

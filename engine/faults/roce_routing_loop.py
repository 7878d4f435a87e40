"""A leaf that has nothing to do with an address announces it: the spines send its packets there, and the leaf back up.

They go round until their time to live ends. The circle's links fill up, pause comes back to where it began, and within
seconds its queues stand still for good (deadlock), with all flows that cross them, long after the looping flow has
given up. Taking the route away mends the way; the queues need a watchdog, or a link of the circle switched off and on.
"""

from __future__ import annotations

from engine.faults import _ethernet
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.inventory import Inventory
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The switches above send what is for the port to another leaf."""
    world = simulation.world
    port = world.inventory.hca(target).port
    cables = world.inventory.cables
    own = cables[port].other(port).partition("/")[0]
    leaf = str(values["leaf"] or _other_leaf(world.inventory, own))
    if leaf not in world.inventory.switches or leaf == own:
        raise BreakfixError(f"leaf={leaf}: there is no other leaf of this name")
    above: dict[str, str] = {}
    for up in _ethernet.ports_of(world.inventory, leaf):
        far = cables[up].other(up)
        if far.partition("/")[0] in world.inventory.switches:
            above.setdefault(far.partition("/")[0], far)
    for switch, down in sorted(above.items()):
        routes = (*world.ethernet_switches[switch].routes, (port, down))
        simulation.apply(settings.SetSwitch(switch, (("routes", routes),)))


def _other_leaf(inventory: Inventory, own: str) -> str:
    """The leaf after `own`, or the first."""
    leaves = [name for name, switch in inventory.switches.items() if switch.role == "leaf" and switch.os]
    return leaves[(leaves.index(own) + 1) % len(leaves)]


FAULT = Fault(
    id="roce.routing_loop",
    title="A wrong route sends packets in a circle",
    targets=("roce_hca",),
    inject=inject,
    parameters=(Parameter("leaf", "text", None, "The leaf that announces it (default: the next one)."),),
    doc="One address is out of reach, queues of the circle lock. The route has to go, the queues to be let go.",
)

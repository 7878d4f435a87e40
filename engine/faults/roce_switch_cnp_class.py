"""A switch puts notifications of congestion (CNPs) into the class of the data that they are to slow.

They wait in the queues that they are about, senders hear of congestion too late, and pause takes over in an incast: all
counters of marks and notifications rise as they should, and pause frames with them. A line in the map of
DSCPs that gives CNPs a class of their own, strict before the others, mends it.
"""

from __future__ import annotations

from engine.faults import _ethernet
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """All ports of the switch map the DSCP of notifications to the priority of RoCE."""
    world = simulation.world
    port = _ethernet.ports_of(world.inventory, target)[0]
    priority = _ethernet.roce_priority(world, port)
    _ethernet.remap(simulation, target, world.inventory.first_roce.cnp_dscp, priority)


FAULT = Fault(
    id="roce.switch_cnp_class",
    title="A switch queues congestion notifications behind data",
    targets=("ethernet_switch",),
    inject=inject,
    doc="Notifications and pause frames rise together. CNPs need a strict class of their own on the switch.",
)

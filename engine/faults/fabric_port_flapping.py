"""A link goes down by itself every so often and trains again: a contact or a transceiver that lets go for a moment.

Each time both ends count a link down, the subnet manager sweeps, and what was sent over the link goes another way or
waits. A new cable mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.physics import flapping
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The first time comes within one and a half intervals."""
    flapping.begin(simulation, simulation.world.inventory.cables[target], int(values["every"] or 10 * MINUTE))


FAULT = Fault(
    id="fabric.port_flapping",
    title="A link goes down and comes back by itself",
    targets=("port",),
    inject=inject,
    parameters=(Parameter("every", "duration", "10m", "How often on average.", least=20 * SECOND),),
    doc="LinkDownedCounter rises at both ends; logs tell of the link. Replacing the cable mends it.",
)

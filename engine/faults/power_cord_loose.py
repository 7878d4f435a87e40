"""The cord of a power supply has slipped out: the supply has no input, and those beside it on the same PDU have. The
BMC logs AC lost for this one supply of this one node. Reseating pushes the cord home.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import supplies
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The cord slips."""
    supplies.change_psu(simulation, target, input_lost=True)


FAULT = Fault(
    id="power.cord_loose",
    title="The cord of a power supply is loose",
    targets=("psu",),
    inject=inject,
    doc="One supply has no input. Reseating it mends it.",
)

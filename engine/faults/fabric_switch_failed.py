"""A switch has lost its power: both supplies have switched themselves off.

All of its ports are dark: whatever is at the other end is Down and Polling, and the switch is in no list of the fabric.
Of a spine the others carry the traffic after the manager's next sweep, with less bandwidth; a leaf takes its nodes'
adapters with it. Somebody has to take its cords out and plug them in again.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import cabling
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """It is off at once."""
    cabling.set_power(simulation, target, False)


FAULT = Fault(
    id="fabric.switch_failed",
    title="A switch has no power",
    targets=("switch",),
    inject=inject,
    doc="Every port that leads to it is Polling. A power cycle of the switch by hands mends it.",
)

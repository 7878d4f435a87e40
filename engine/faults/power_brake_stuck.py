"""A node's board pulls the power brake of its GPUs although every supply works (a glitch of the power sequencer): all
eight run at half of their clock at most, idle or busy, with the reasons HW Slowdown and HW Power Brake Slowdown, cool.
A reboot keeps the board's standby power and changes nothing; taking all power off does.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import supplies
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The brake is pulled."""
    supplies.hold_brake(simulation, target, True)


FAULT = Fault(
    id="power.brake_stuck",
    title="The GPUs' power brake is stuck",
    targets=("gpu_node",),
    inject=inject,
    doc="All GPUs of the node are slowed down by the hardware for power, not for heat. Power-cycling the node by its "
    "cords mends it; a reboot does not.",
)

"""A transceiver does not send any more: both of its ports and their partners wait for a link (Polling).

The partner gets no light (mlxlink: Signal not detected, Rx power -40 dBm), while its own module works. A new
transceiver mends it; another fibre does not.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import plugs
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Its lasers go out."""
    plugs.stop_light(simulation, target)


FAULT = Fault(
    id="fabric.module_dead",
    title="A transceiver is dead",
    targets=("fibre",),
    inject=inject,
    doc="Ports of the cage are Polling, their partners get no light. A new transceiver mends it.",
)

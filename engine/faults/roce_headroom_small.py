"""A port keeps too little room for what still arrives after it has sent pause: its cable is longer than it was told.

Each time that pause goes out, some packets are lost at the port although the class is lossless and both ends
agree. A few losses for many pauses, at the onset of every incast. The right cable length (or buffer profile) mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The port works out its room for a short cable."""
    simulation.apply(settings.SetPortQos((target,), (("cable_m", int(values["cable"] or 1)), ("headroom", None))))


FAULT = Fault(
    id="roce.headroom_small",
    title="Too little headroom for the cable of a port",
    targets=("ethernet_uplink",),
    inject=inject,
    parameters=(Parameter("cable", "integer", "1", "Metres that the port believes in.", least=1, most=10),),
    doc="Losses whenever pause goes out at the port. It has to be told the length of its cable.",
)

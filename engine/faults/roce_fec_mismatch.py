"""The two ends of a link run different error correction: one was set by hand when its optics were changed.

400 Gb/s links need RS-FEC; the other end does not find the code words, and the link stays down at both ends
although light is good. Setting the correction as the far end has it mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The link goes down as the port changes over."""
    simulation.apply(settings.SetPortFec(target, str(values["fec"])))


FAULT = Fault(
    id="roce.fec_mismatch",
    title="The ends of a link differ in error correction",
    targets=("ethernet_port",),
    inject=inject,
    parameters=(Parameter("fec", "choice", "baser", "What the port runs.", choices=("baser", "off")),),
    doc="The link is down with good light. Both ends have to run the same correction.",
)

"""The fuse of one strip of a rack PDU blows: every node in that half of the rack loses the supplies on that PDU at
once, those in the other half do not. The breaker of the PDU is closed and its other strip has power.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import supplies
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The fuse blows."""
    strip = supplies.strips(simulation.world.inventory)[target]
    blown = simulation.world.pdus[strip.pdu].blown
    supplies.change_pdu(simulation, strip.pdu, blown=tuple(sorted({*blown, strip.number})))


FAULT = Fault(
    id="power.strip_fuse",
    title="The fuse of a PDU's strip blows",
    targets=("strip",),
    inject=inject,
    doc="The nodes in that half of the rack lose the supplies on that PDU. Replacing the fuse mends it.",
)

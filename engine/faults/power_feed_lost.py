"""The breaker of a rack PDU trips: the PDU is dark, and every node of the rack loses the supplies that hang on it, in
the same second. With three PDUs two supplies of six are gone, which a node bears; a server with two keeps one.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import supplies
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The PDU has no input."""
    supplies.change_pdu(simulation, target, supplied=False)


FAULT = Fault(
    id="power.feed_lost",
    title="A rack PDU has no input",
    targets=("pdu",),
    inject=inject,
    doc="Every node of the rack, in both halves, loses the supplies on that PDU. Closing the breaker mends it.",
)

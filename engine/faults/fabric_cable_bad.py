"""A cable's signal is bad (a bent fibre, a dirty connector, a transceiver that ages): the link is up and loses bits.

Symbol errors count at both ends all the time, receive errors where packets come in, and transfers over it slow down;
with one in a million bits the link does not train any more. A new cable mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The signal gets worse at once."""
    found = simulation.world.inventory.cables[target]
    links.change_cable(simulation, found, error_exponent=int(values["exponent"] or 0))


FAULT = Fault(
    id="fabric.cable_bad",
    title="A link has bit errors",
    targets=("port",),
    inject=inject,
    parameters=(
        Parameter("exponent", "integer", "10", "One of 10^exponent bits is wrong after correction.", least=6, most=14),
    ),
    doc="ibqueryerrors and perfquery show symbol and receive errors at both ends. Replacing the cable mends it.",
)

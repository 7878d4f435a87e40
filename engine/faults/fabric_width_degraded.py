"""One or more lanes of a cable do not work, so that the link trains with the lanes that are left: 2X or 1X.

The link is up at its generation and a half or a quarter of its rate; the other ends' tools say what it could be. A new
cable mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The link trains anew."""
    links.change_cable(simulation, simulation.world.inventory.cables[target], lanes=int(values["lanes"] or 0))


FAULT = Fault(
    id="fabric.width_degraded",
    title="A link runs on fewer lanes",
    targets=("port",),
    inject=inject,
    parameters=(Parameter("lanes", "choice", "2", "Lanes that are left.", ("1", "2")),),
    doc="ibstatus, iblinkinfo and mlxlink show the width. Replacing the cable mends it.",
)

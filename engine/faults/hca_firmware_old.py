"""One adapter runs another firmware than its like (a card that was replaced from stock and not updated).

It works; ibstat, mlxfwmanager and ibdiagnet's uniformity check show the version. Burning the site's image and a reset
of the card mend it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.adapters import card
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Both the flash and what runs are of the other version."""
    world = simulation.world
    hca = world.inventory.hca(target)
    version = str(values["version"])
    world.adapters.update(card(world.inventory.node(hca.node), hca), image=version, firmware=version)


FAULT = Fault(
    id="hca.firmware_old",
    title="An adapter's firmware is of another version",
    targets=("cabled_hca",),
    inject=inject,
    parameters=(Parameter("version", "text", "28.38.1002", "The version that it runs."),),
    doc="ibstat shows the version. mlxfwmanager -u and mlxfwreset mend it.",
)

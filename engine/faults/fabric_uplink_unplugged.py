"""Cables from a switch up to one of its spines were pulled and not plugged in again (work in the row, a wrong label).

Their ports are Down and Polling at both ends; the manager routes over what is left, so nothing fails and traffic that
needs the bandwidth between leaves gets slower. Reseating the cables mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The cable at the target, and others that lead from the same switch to the same spine."""
    cables = simulation.world.inventory.cables
    device, spine = target.partition("/")[0], cables[target].other(target).partition("/")[0]
    both = {device, spine}
    beside = {cable.id: cable for cable in cables.values() if {end.partition("/")[0] for end in cable.ends} == both}
    chosen = {cables[target].id: cables[target], **beside}
    for cable in list(chosen.values())[: int(values["count"] or 1)]:
        links.change_cable(simulation, cable, plugged=False)


FAULT = Fault(
    id="fabric.uplink_unplugged",
    title="Cables between two switches are unplugged",
    targets=("uplink",),
    inject=inject,
    parameters=(Parameter("count", "integer", "4", "How many cables between the two switches.", least=1, most=64),),
    doc="Ports between two switches are Polling at both ends. Reseating the cables mends it.",
)

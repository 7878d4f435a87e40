"""Move a power supply's cord to a PDU of the rack that has power."""

from __future__ import annotations

from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import supplies
from engine.world.world import World


def move_cord(simulation: Simulation[World], target: str, number: int) -> str:
    """To the next PDU whose strip for this half of the rack has power."""
    world = simulation.world
    psu = next(psu for psu in world.node(target.partition("/")[0]).psus if psu.id == target)
    here = supplies.strip_of(world, psu)
    others = [strip for strip in supplies.strips(world.inventory).values() if strip.rack == here.rack]
    free = [strip for strip in others if strip.number == here.number and strip.feed != here.feed]
    live = [strip for strip in free if supplies.strip_is_live(world, strip)]
    if not live:
        return f"Left the cord of power supply {psu.index} of {psu.node} where it is: no other PDU has power there."
    supplies.change_psu(simulation, target, feed=live[0].feed, input_lost=False)
    return f"Moved the cord of power supply {psu.index} of {psu.node} from PDU {here.feed} to PDU {live[0].feed}."


HANDS = HandsAction(
    name="move-cord",
    title="Move a power cord to another PDU",
    jobs=MappingProxyType({"psu": Job(duration=6 * MINUTE, power_off=False, work=move_cord)}),
    doc="The node runs on as long as its other supplies carry it. The other PDU carries more from then on.",
)

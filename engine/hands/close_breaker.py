"""Close the breaker that feeds a rack PDU again."""

from __future__ import annotations

from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import supplies
from engine.world.world import World


def close_breaker(simulation: Simulation[World], target: str, number: int) -> str:
    """The electrician looks for what tripped it, finds nothing, and closes it."""
    before = simulation.world.pdus[target].supplied
    supplies.change_pdu(simulation, target, supplied=True)
    rack, _, part = target.partition("/")
    found = "was closed all the time" if before else "had tripped; it is closed again and holds"
    return f"Looked at the breaker of PDU {part.rpartition('-')[2].upper()} in {rack}. It {found}."


HANDS = HandsAction(
    name="close-breaker",
    title="Close the breaker of a rack PDU",
    jobs=MappingProxyType({"pdu": Job(duration=20 * MINUTE, power_off=False, work=close_breaker)}),
    doc="An electrician's work. Nodes that went dark start again as their BMC's policy says.",
)

"""Mend the cooling door of a rack: a tight hose, a whole leak rope, a dry floor, an open valve."""

from __future__ import annotations

from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import cooling_door
from engine.world.world import World


def mend_door(simulation: Simulation[World], target: str, number: int) -> str:
    """Whatever it was."""
    state = simulation.world.leaks[target]
    found = "The leak rope was broken; the floor was dry" if state.broken else "Nothing was wrong with it"
    if state.wet:
        found = "A hose was leaking; it is changed and the floor is dry"
    cooling_door.mend(simulation, target)
    return f"Went over the cooling door of {target}. {found}. Its valve is open."


HANDS = HandsAction(
    name="mend-door",
    title="Mend the cooling door of a rack",
    jobs=MappingProxyType({"rack": Job(duration=50 * MINUTE, power_off=False, work=mend_door)}),
    doc="Facilities' work, while the nodes run. Their inlets are warmer until it is done.",
)

"""Stand at a node's console during a start and confirm the key that `mokutil --import` asked for (MokManager)."""

from __future__ import annotations

from types import MappingProxyType

from engine.control.secure_boot import enrol_requested
from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.world import World


def enrol_key(simulation: Simulation[World], target: str, number: int) -> str:
    """`Enroll MOK`, `Continue`, `Yes`, the password."""
    keys = enrol_requested(simulation, target)
    if not keys:
        return f"The console of {target} showed no MOK management screen: nobody had asked for a key."
    return f"Enrolled at the console of {target}: {', '.join(keys)}."


HANDS = HandsAction(
    name="enrol-key",
    title="Confirm a key at a node's console",
    jobs=MappingProxyType({"node": Job(duration=10 * MINUTE, power_off=True, work=enrol_key)}),
    doc="The node is restarted for it; the key must have been asked for with mokutil --import.",
)

"""Take the dust off a node's inlet filter, while the node runs."""

from __future__ import annotations

from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics.air import block_filter
from engine.world.world import World

_DIRTY = 100


def clean_filter(simulation: Simulation[World], target: str, number: int) -> str:
    """Off with the bezel, out with the filter, vacuumed and put back."""
    before = simulation.world.cooling[target].filter_blocked_permille
    block_filter(simulation, target, 0)
    found = "It was full of dust" if before >= _DIRTY else "It had hardly any dust on it"
    return f"Cleaned the inlet filter of {target}. {found}."


HANDS = HandsAction(
    name="clean-filter",
    title="Clean a node's inlet filter",
    jobs=MappingProxyType({"node": Job(duration=15 * MINUTE, power_off=False, work=clean_filter)}),
    doc="Done from the front while the node runs.",
)

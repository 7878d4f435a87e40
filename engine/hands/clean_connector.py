"""Inspect the optical connectors at both ends of a cable with a microscope, and clean what is dirty."""

from __future__ import annotations

from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.hands.reseat import pull_cable
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import links, optics, plugs
from engine.world.world import World

_DIRT = 50
"""Loss in hundredths of a dB from which one sees dirt under the microscope."""


def clean_connector(simulation: Simulation[World], target: str, number: int) -> str:
    """Both ends; what was clean stays as it was. A copper cable has nothing to clean."""
    world = simulation.world
    found = world.inventory.cables[target]
    links.change_cable(simulation, found, in_hand=False)
    kind = optics.product(world, target)
    if kind is None or not kind.optical:
        return f"The cable {found.serial} from {found.ends[0]} to {found.ends[1]} has no optical connectors."
    dirty = [end for end in found.ends if max(world.connectors[end].loss, default=0) >= _DIRT]
    for end in dirty:
        plugs.soil(simulation, end, ())
    what = " and ".join(f"there was dirt on that at {end}" for end in dirty) or "both were clean"
    return f"Inspected and cleaned the connectors from {found.ends[0]} to {found.ends[1]}: {what}."


HANDS = HandsAction(
    name="clean-connector",
    title="Clean the optical connectors of a cable",
    jobs=MappingProxyType({"port": Job(duration=10 * MINUTE, power_off=False, work=clean_connector, start=pull_cable)}),
    doc="Both ends are inspected with a microscope. The link is down meanwhile.",
)

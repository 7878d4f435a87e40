"""Trace a cable from end to end and plug it in where its labels say, which is where the cabling plan has it."""

from __future__ import annotations

from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import cabling
from engine.world.world import World


def move_cable(simulation: Simulation[World], target: str, number: int) -> str:
    """Each end that is elsewhere changes places with what is in its port."""
    world = simulation.world
    found = world.inventory.cables[target]
    labels = cabling.planned(world, found.id)
    if set(found.ends) == set(labels):
        return f"Traced the cable {found.serial}: its ends are in {labels[0]} and {labels[1]}, as its labels say."
    told = []
    for here, there in zip(found.ends, labels, strict=True):
        if here != there:
            other = world.inventory.cables.get(there)
            cabling.exchange(simulation, here, there)
            told.append(f"from {here} to {there}" + (f", and that of {other.serial} the other way" if other else ""))
    return f"Traced the cable {found.serial}. Moved its plug {'; '.join(told)}. Its labels are right now."


HANDS = HandsAction(
    name="move-cable",
    title="Plug a cable in where its labels say",
    jobs=MappingProxyType({"port": Job(duration=20 * MINUTE, power_off=False, work=move_cable)}),
    doc="The cable in a port is traced from end to end. What is in a port where it belongs takes its place.",
)

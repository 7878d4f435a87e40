"""Pull all power cords of a node, wait, and plug them in again: as cold as a start can be."""

from __future__ import annotations

from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.world import World


def power_cycle(simulation: Simulation[World], target: str, number: int) -> str:
    """The cords; what the start finds is up to the node."""
    count = len(simulation.world.node(target).psus)
    return f"Pulled the {count} power cords of {target}, waited two minutes and plugged them in again."


HANDS = HandsAction(
    name="power-cycle",
    title="Take all power off a node and give it back",
    jobs=MappingProxyType({"node": Job(duration=6 * MINUTE, power_off=True, work=power_cycle)}),
    doc="The node is shut down first if it runs. Everything in it starts cold, the BMC too.",
)

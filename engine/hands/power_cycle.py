"""Pull all power cords of a node or switch, wait, and plug them in again: as cold as a start can be."""

from __future__ import annotations

from types import MappingProxyType

from engine.control import bmc
from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import cabling, supplies
from engine.world.world import World


def power_cycle(simulation: Simulation[World], target: str, number: int) -> str:
    """The cords. Boards and BMC forget what they held; what the start finds is up to the node."""
    count = len(simulation.world.node(target).psus)
    supplies.hold_brake(simulation, target, False)
    bmc.restart(simulation, target, cold=True)
    return f"Pulled the {count} power cords of {target}, waited two minutes and plugged them in again."


def power_cycle_switch(simulation: Simulation[World], target: str, number: int) -> str:
    """The cords of a switch."""
    dead = not simulation.world.switches[target].powered
    cabling.set_power(simulation, target, True)
    found = "Its supplies had switched off; its lights are green again" if dead else "It came back with green lights"
    return f"Pulled both power cords of {target}, waited a minute and plugged them in again. {found}."


def unplug_switch(simulation: Simulation[World], target: str) -> None:
    """It is off while somebody has its cords in hand."""
    cabling.set_power(simulation, target, False)


HANDS = HandsAction(
    name="power-cycle",
    title="Take all power off a node or switch and give it back",
    jobs=MappingProxyType(
        {
            "node": Job(duration=6 * MINUTE, power_off=True, work=power_cycle),
            "switch": Job(duration=6 * MINUTE, power_off=False, work=power_cycle_switch, start=unplug_switch),
        }
    ),
    doc="The node is shut down first if it runs. Everything in it starts cold, the BMC too. "
    "A switch takes all of its links with it.",
)

"""Replace the transceiver in the cage of a port by a spare; the fibre stays. A twin-port one serves two ports."""

from __future__ import annotations

from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import links, optics, plugs
from engine.world.world import World


def pull_module(simulation: Simulation[World], target: str) -> None:
    """The links of all ports of the cage are gone for as long as somebody works on it."""
    _set_in_hand(simulation, target, True)


def replace_transceiver(simulation: Simulation[World], target: str, number: int) -> str:
    """Out with the old one, in with a spare of the same kind."""
    world = simulation.world
    _set_in_hand(simulation, target, False)
    kind = optics.product(world, target)
    if kind is None or not kind.optical:
        return f"There is no transceiver in the cage of {target}."
    old = optics.serial(world, target)
    plugs.replace_module(simulation, target)
    return f"Replaced the transceiver in the cage of {target}: serial {old} out, {optics.serial(world, target)} in."


def _set_in_hand(simulation: Simulation[World], target: str, in_hand: bool) -> None:
    cables = simulation.world.inventory.cables
    for port in optics.ports_of(simulation.world.inventory, target):
        if port in cables:
            links.change_cable(simulation, cables[port], in_hand=in_hand)


HANDS = HandsAction(
    name="replace-transceiver",
    title="Replace the transceiver of a port",
    jobs=MappingProxyType(
        {"port": Job(duration=10 * MINUTE, power_off=False, work=replace_transceiver, start=pull_module)}
    ),
    doc="A twin-port transceiver serves two ports: both links are down meanwhile.",
)

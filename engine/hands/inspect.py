"""Look at the lights of a node, or at the PDUs of a rack, and say what they show. Nothing is touched.

Lights of power supplies: green works, amber has failed, off has no power on its cord. PDUs: a lamp for the feed, and a
window in each strip's fuse that turns red. Colours and windows are guesses; products differ.
"""

from __future__ import annotations

from types import MappingProxyType

from engine.control import boot, fstab
from engine.hands.action import HandsAction, Job
from engine.hands.reseat import supply_light
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import cooling_door, supplies
from engine.world.records import Power
from engine.world.world import World


def inspect_node(simulation: Simulation[World], target: str, number: int) -> str:
    """The lights at the back and the front of a node."""
    world, now = simulation.world, simulation.now
    node = world.node(target)
    lights = ", ".join(f"PSU{psu.index} {supply_light(world, psu)}" for psu in node.psus)
    stopped = [fan.index for fan in node.fans if world.fans[fan.id].failed]
    fans = f"fan module {stopped[0]} stands still" if stopped else "every fan turns"
    if world.nodes[target].power is Power.OFF:
        fans = "the fans stand still, the node is off"
    blue = " Its blue light is on." if now < world.bmcs[target].light_until else ""
    return f"Looked at {target}: {lights}; {fans}.{blue}{_console(world, target)}"


def _console(world: World, target: str) -> str:
    """What a boot that came to a stop has left on the screen (systemd 255)."""
    if not boot.in_emergency(world, target):
        return ""
    told = "".join(
        f" [ TIME ] Timed out waiting for device {each.device}. [DEPEND] Dependency failed for {each.target}."
        for each in fstab.blocking(world, target)
    )
    return f" Its console shows:{told} You are in emergency mode."


def inspect_rack(simulation: Simulation[World], target: str, number: int) -> str:
    """The PDUs of a rack: feed lamp, and the window of each strip's fuse; and its cooling door."""
    world = simulation.world
    found = [strip for strip in supplies.strips(world.inventory).values() if strip.rack == target]
    words = []
    for pdu in dict.fromkeys(strip.pdu for strip in found):
        state, letter = world.pdus[pdu], pdu.rpartition("-")[2].upper()
        fuses = ", ".join(f"fuse {each} {'red' if each in state.blown else 'clear'}" for each in supplies.STRIPS)
        words.append(f"PDU {letter} {'lit' if state.supplied else 'dark, its breaker has tripped'}, {fuses}")
    floor = "wet" if world.leaks[target].wet else "dry"
    lamp = "the leak lamp is lit" if cooling_door.has_alarm(world, target) else "no lamp is lit"
    door = f"On the cooling door {lamp}; the floor under it is {floor}."
    return f"Looked at the PDUs of {target}: {'; '.join(words)}. {door}"


HANDS = HandsAction(
    name="inspect",
    title="Look at lights and fuses",
    jobs=MappingProxyType(
        {
            "node": Job(duration=2 * MINUTE, power_off=False, work=inspect_node),
            "rack": Job(duration=4 * MINUTE, power_off=False, work=inspect_rack),
        }
    ),
    doc="A node's power supplies and fans, or the PDUs of a rack. Nothing is touched.",
)

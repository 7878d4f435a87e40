"""Writing to a function's configuration space: which bits take a value, which are cleared by writing ones, and what
the hardware then does.

Law (PCI Express Base 5.0, chapter 7): control registers keep what is written, status registers are cleared by ones,
everything else ignores writes. An ACS control that redirects sends peer requests up from then on. A port asked to
retrain its link (Link Control, bit 5) trains it to the lower of the two ends' Target Link Speed; the bit reads 0.
What would cut a function off (address windows, memory and bus master enable, link disable, resets, power states) is not
modelled: `harmful` tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.kernel.simulation import Simulation
from engine.physics import pcie
from engine.physics.config_space.registers import BRIDGE_CONTROL, COMMAND, KINDS, Register
from engine.physics.config_space.resources import profile
from engine.physics.config_space.space import config_space
from engine.world.events import PcieLinkChanged
from engine.world.inventory import Node, PcieDevice
from engine.world.world import World

_KEPT: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "express": MappingProxyType(
            {
                "DevCtl": 0x7FFF,
                "LnkCtl": 0x0FCB,
                "SltCtl": 0x1FFF,
                "RootCtl": 0x1F,
                "DevCtl2": 0xFFFF,
                "LnkCtl2": 0xFFFF,
            }
        ),
        "error_reporting": MappingProxyType(
            {"UEMsk": 0x07FF_FFFF, "UESvrt": 0x07FF_FFFF, "CEMsk": 0xFFFF, "AERCap": 0x540, "RootCmd": 7}
        ),
        "access_control": MappingProxyType({"ACSCtl": 0x7F}),
        "power_management": MappingProxyType({"Status": 0x100}),
    }
)
"""Bits that keep what is written, by capability and register."""

_CLEARED: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "express": MappingProxyType({"DevSta": 0xF, "LnkSta": 0xC000}),
        "error_reporting": MappingProxyType({"UESta": 0xFFFF_FFFF, "CESta": 0xFFFF, "RootSta": 0x7F}),
    }
)
"""Bits that a written one clears."""

_RETRAIN, _LINK_DISABLE, _FUNCTION_RESET, _BUS_RESET = 0x20, 0x10, 0x8000, 0x40
_PORTS = ("root_port", "switch_downstream")
_BRIDGES = ("root_port", "switch_upstream", "switch_downstream")


def write(simulation: Simulation[World], node: str, address: str, at: int, content: bytes) -> None:
    """Write bytes at an offset, and do what the hardware does on it. Raises KeyError if the node has no such function;
    a function that does not answer ignores it.
    """
    world = simulation.world
    space = config_space(world, node, address)
    if space is None or not pcie.answers(world, node, address):
        return
    machine = world.node(node)
    kept, cleared = _masks(machine.devices[address], space)
    changed = dict(world.pci_functions[f"{node}/{address}"].registers)
    for place, value in enumerate(content, start=at):
        old, mask = space[place], kept.get(place, 0)
        new = old & ~mask & ~(cleared.get(place, 0) & value) & 0xFF | value & mask
        if new != old:
            changed[place] = new
    world.pci_functions.update(f"{node}/{address}", registers=tuple(sorted(changed.items())))
    _take_effect(simulation, machine, machine.devices[address], at, content)


def harmful(device: PcieDevice, at: int, content: bytes) -> str | None:
    """What would happen to the function that is not modelled, or None."""
    header = range(0x10, 0x34)
    touched = range(at, at + len(content))
    if any(place in header for place in touched):
        return "moving address windows or bus numbers"
    if _value(content, at, COMMAND.offset, 2) is not None and _value(content, at, COMMAND.offset, 1, 6) != 6:
        return "switching memory or bus mastering off"
    if device.role in _BRIDGES and _value(content, at, BRIDGE_CONTROL.offset, 1, _BUS_RESET):
        return "resetting a secondary bus"
    express = offset(device, "express", "LnkCtl")
    if express is not None and _value(content, at, express, 1, _LINK_DISABLE):
        return "disabling a link"
    control = offset(device, "express", "DevCtl")
    if control is not None and _value(content, at, control, 2, _FUNCTION_RESET):
        return "resetting a function"
    power = offset(device, "power_management", "Status")
    if power is not None and _value(content, at, power, 1, 3):
        return "power states"
    return None


def offset(device: PcieDevice, kind: str, name: str) -> int | None:
    """Where a register of a capability lies in the function's space; None if the function has no such capability."""
    at = next((one.at for one in profile(device).capabilities if one.kind == kind), None)
    return None if at is None else at + KINDS[kind].registers[name].offset


def register(world: World, node: str, address: str, kind: str, name: str) -> int | None:
    """The value of a register as it stands; None where the function or its capability is not there."""
    place, space = offset(world.node(node).devices[address], kind, name), config_space(world, node, address)
    if place is None or space is None:
        return None
    size = KINDS[kind].registers[name].size
    return int.from_bytes(space[place : place + size], "little")


def field(world: World, node: str, address: str, kind: str, name: str, part: str) -> int:
    """A part of a register as it stands; 0 where the function has none."""
    layout: Register = KINDS[kind].registers[name]
    return layout.get(register(world, node, address, kind, name) or 0, part)


def _value(content: bytes, at: int, place: int, size: int, mask: int = 0xFFFF) -> int | None:
    """The masked value that writing puts into the register at `place`; None if it does not touch its first byte."""
    start = place - at
    if not 0 <= start < len(content):
        return None
    return int.from_bytes(content[start : start + size], "little") & mask


def _masks(device: PcieDevice, space: bytes) -> tuple[dict[int, int], dict[int, int]]:
    """By offset: bits that keep what is written, and bits that ones clear."""
    kept = {4: 0xFF, 5: 0x07, 0xC: 0xFF, 0x3C: 0xFF}
    if device.role in _BRIDGES:
        kept |= {0x3E: 0xBF, 0x3F: 0x0F}
    cleared = {7: 0xF9}
    for capability in profile(device).capabilities:
        for masks, found in ((_KEPT, kept), (_CLEARED, cleared)):
            for name, mask in masks.get(capability.kind, {}).items():
                layout = KINDS[capability.kind].registers[name]
                can = int.from_bytes(space[capability.at + 4 : capability.at + 6], "little")
                bits = mask & can if name == "ACSCtl" else mask
                for number, part in enumerate(bits.to_bytes(layout.size, "little")):
                    found[capability.at + layout.offset + number] = part
    return kept, cleared


def _take_effect(simulation: Simulation[World], node: Node, device: PcieDevice, at: int, content: bytes) -> None:
    """Access control, retraining, and for everybody who reckons with the function: it may be faster or slower now."""
    world = simulation.world
    touched = range(at, at + len(content))
    if offset(device, "access_control", "ACSCtl") in touched:
        redirects = bool(field(world, node.name, device.address, "access_control", "ACSCtl", "ReqRedir"))
        pcie.set_redirect(simulation, node.name, device.address, redirects)
    control = offset(device, "express", "LnkCtl")
    if control is not None and device.role in _PORTS and _value(content, at, control, 1, _RETRAIN):
        _retrain(simulation, node, device)
    if offset(device, "express", "DevCtl") in touched:
        simulation.publish(PcieLinkChanged(node.name, device.address))


def _retrain(simulation: Simulation[World], node: Node, port: PcieDevice) -> None:
    """Train the link below a port to the lower of both ends' targets."""
    below = next((other for other in node.pcie if other.parent == port.address), None)
    if below is None or not pcie.answers(simulation.world, node.name, below.address):
        return
    ends = (port.address, below.address)
    targets = [field(simulation.world, node.name, end, "express", "LnkCtl2", "Speed") for end in ends]
    target = min((wanted for wanted in targets if wanted), default=0)
    best = pcie.link(simulation.world, node.name, below.address).max_generation
    pcie.hold_link(simulation, node.name, below.address, target if 0 < target < best else None)

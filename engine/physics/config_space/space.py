"""The bytes of a function's configuration space: a part's profile, what the firmware handed out, and the state of its
link.

A function that has dropped off the bus reads all ones, one that was away at the last start has no configuration space
at all. A port whose neighbour below does not answer has no link: its width reads 0 (as ports with empty slots show).
"""

from __future__ import annotations

from functools import cache

from engine.physics import pcie
from engine.physics.config_space.bridges import BRIDGES
from engine.physics.config_space.profile import Capability, Profile
from engine.physics.config_space.registers import BRIDGE_CONTROL, COMMAND, KINDS, SECONDARY_STATUS, STATUS, Register
from engine.physics.config_space.resources import Placed, Resources, bus_number, profile, profile_of, resources
from engine.world.inventory import Node, PcieDevice, stable_hexadecimal
from engine.world.world import World

SIZE = 4096
_PORTS = ("root_port", "switch_downstream")
_FIRST_EXTENDED = 0x100
_FIRST_EQUALISED_GENERATION = 3
_MESSAGE_ADDRESS = 0xFEE00018
_MEMORY_64, _PREFETCHABLE = 0x4, 0x8


def config_space(world: World, node: str, address: str) -> bytes | None:
    """The 4096 bytes of the function at `address`; None if the kernel does not list it."""
    if not pcie.enumerated(world, node, address):
        return None
    if not pcie.answers(world, node, address):
        return b"\xff" * SIZE
    machine = world.node(node)
    device = machine.devices[address]
    link, redirects = _running(world, machine, device), pcie.redirects(world, node, address)
    key = ("pci config", node, address, link, redirects)
    space = world.inventory.once(key, lambda: _as_it_runs(world, machine, device, link, redirects))
    written = world.pci_functions[f"{node}/{address}"].registers if world.pci_functions.generation else ()
    return _overwritten(space, written) if written else space


def _overwritten(space: bytes, written: tuple[tuple[int, int], ...]) -> bytes:
    """The space with the bytes that somebody wrote."""
    changed = bytearray(space)
    for place, value in written:
        changed[place] = value
    return bytes(changed)


def _as_it_runs(world: World, node: Node, device: PcieDevice, link: pcie.Link | None, redirects: bool) -> bytes:
    """The space of a function whose link runs so, and which sends peer requests up to the root or not."""
    key = ("pci config", node.name, device.address)
    space = bytearray(world.inventory.once(key, lambda: _fixed(world, node, device)))
    _show_link(device, link, space)
    at = next((one.at for one in profile(device).capabilities if one.kind == "access_control"), None)
    if redirects and at is not None:
        control = KINDS["access_control"].registers["ACSCtl"]
        _change(space, at, control, SrcValid=1, ReqRedir=1, CmpltRedir=1, UpstreamFwd=1)
    return bytes(space)


def class_code(node: Node, device: PcieDevice) -> int:
    """Class, subclass and programming interface; an RDMA function's follows its link layer."""
    code = profile(device).class_code
    hca = next((hca for hca in node.hcas if hca.address == device.address), None)
    return 0x020000 if hca and hca.link_layer == "Ethernet" else code


def revision(device: PcieDevice) -> int:
    """The revision that the site gives, or else the part's own."""
    given = int(device.revision, 16)
    return given or profile(device).revision or 0


def subsystem(device: PcieDevice) -> str:
    """Vendor and device of the subsystem, such as 10de:16c1; a bridge tells it in a capability. 0000:0000 where there
    is none.
    """
    told = next((one.registers for one in profile(device).capabilities if one.kind == "subsystem"), None)
    if told is None:
        return device.subsystem or "0000:0000"
    registers = KINDS["subsystem"].registers
    return ":".join(f"{registers[name].encode(told.get(name, '')):04x}" for name in ("Vendor", "Device"))


def _fixed(world: World, node: Node, device: PcieDevice) -> bytes:
    """Everything but the link."""
    given = resources(world.inventory, node)
    space = bytearray(_template(device.role, device.ids))
    _identify(node, device, space)
    if device.role in BRIDGES:
        _bridge(device, given, space)
    else:
        _endpoint(device, given, space)
    _put(space, 0x3C, 1, given.interrupts.get(device.address, 0) & 0xFF)
    _number(world, node, device, space)
    return bytes(space)


@cache
def _template(role: str, ids: str) -> bytes:
    """What all parts of a model have in common."""
    part = profile_of(role, ids)
    space = bytearray(SIZE)
    vendor, _, model = ids.partition(":")
    _put(space, 0, 2, int(vendor, 16))
    _put(space, 2, 2, int(model, 16))
    _put(space, COMMAND.offset, 2, COMMAND.encode(part.command))
    _put(space, STATUS.offset, 2, STATUS.encode("Cap") if part.capabilities else 0)
    _put(space, 0xC, 1, part.cache_line)
    _put(space, 0x3D, 1, part.pin)
    for capability in part.capabilities:
        _capability(capability, space)
    _chain(part, space)
    return bytes(space)


def _capability(capability: Capability, space: bytearray) -> None:
    registers = KINDS[capability.kind].registers
    for name, text in capability.registers.items():
        register = registers[name]
        _put(space, capability.at + register.offset, register.size, register.encode(text))


def _chain(part: Profile, space: bytearray) -> None:
    """Link the capabilities in the order of the profile."""
    plain = [one for one in part.capabilities if not KINDS[one.kind].extended]
    extended = [one for one in part.capabilities if KINDS[one.kind].extended]
    _put(space, 0x34, 1, plain[0].at if plain else 0)
    for one, following in zip(plain, [*plain[1:], None], strict=False):
        space[one.at : one.at + 2] = bytes((KINDS[one.kind].id, following.at if following else 0))
    for one, following in zip(extended, [*extended[1:], None], strict=False):
        _put(space, one.at, 4, KINDS[one.kind].id | one.version << 16 | (following.at if following else 0) << 20)


def _identify(node: Node, device: PcieDevice, space: bytearray) -> None:
    _put(space, 8, 4, class_code(node, device) << 8 | revision(device))
    several = device.address.endswith("0") and any(
        f"{device.address[:-1]}{other}" in node.devices for other in range(1, 8)
    )
    _put(space, 0xE, 1, (0x80 if several else 0) | (1 if device.role in BRIDGES else 0))


def _endpoint(device: PcieDevice, given: Resources, space: bytearray) -> None:
    for placed in given.bars.get(device.address, ()):
        if not placed.bar.virtual:
            _address(space, 0x10 + 4 * placed.bar.index, placed)
    vendor, _, model = device.subsystem.partition(":")
    _put(space, 0x2C, 2, int(vendor or "0", 16))
    _put(space, 0x2E, 2, int(model or "0", 16))
    _put(space, 0x30, 4, given.roms.get(device.address, 0))


def _bridge(device: PcieDevice, given: Resources, space: bytearray) -> None:
    part = profile(device)
    for placed in given.bars.get(device.address, ()):
        _address(space, 0x10 + 4 * placed.bar.index, placed)
    secondary, subordinate = given.buses[device.address]
    space[0x18:0x1B] = bytes((bus_number(device.address), secondary, subordinate))
    space[0x1C:0x1E] = b"\xf0\x00"
    low, high = given.windows[device.address]
    base, end = (low[0], low[0] + low[1] - 1) if low else (0xFFF00000, 0)
    _put(space, 0x20, 2, base >> 16 & 0xFFF0)
    _put(space, 0x22, 2, end >> 16 & 0xFFF0)
    base, end = (high[0], high[0] + high[1] - 1) if high else (0xFFF00000, 0)
    _put(space, 0x24, 2, base >> 16 & 0xFFF0 | 1)
    _put(space, 0x26, 2, end >> 16 & 0xFFF0 | 1)
    _put(space, 0x28, 4, base >> 32)
    _put(space, 0x2C, 4, end >> 32)
    _put(space, SECONDARY_STATUS.offset, 2, SECONDARY_STATUS.encode(part.secondary_status))
    _put(space, BRIDGE_CONTROL.offset, 2, BRIDGE_CONTROL.encode(part.bridge_control))


def _address(space: bytearray, at: int, placed: Placed) -> None:
    flags = (_MEMORY_64 if placed.bar.bits == 64 else 0) | (_PREFETCHABLE if placed.bar.prefetchable else 0)
    _put(space, at, 4, placed.base & 0xFFFFFFF0 | flags)
    if placed.bar.bits == 64:
        _put(space, at + 4, 4, placed.base >> 32)


def _number(world: World, node: Node, device: PcieDevice, space: bytearray) -> None:
    """What differs from one part of a model to the next: serial numbers, message addresses, windows of virtual
    functions.
    """
    at = {one.kind: one.at for one in profile(device).capabilities}
    if "serial_number" in at:
        chip = device.parent if device.role == "switch_downstream" else device.address
        serial = int(stable_hexadecimal(16, world.inventory.name, node.name, "pci serial", chip), 16)
        _put(space, at["serial_number"] + 4, 4, serial & 0xFFFFFFFF)
        _put(space, at["serial_number"] + 8, 4, serial >> 32)
    if "msi" in at and space[at["msi"] + 2] & 1:
        number = resources(world.inventory, node).interrupts[device.address]
        _put(space, at["msi"] + 4, 4, _MESSAGE_ADDRESS + (number << 5 & 0xFE0))
    if "virtual_functions" in at:
        _virtual(world, node, device, at["virtual_functions"], space)


def _virtual(world: World, node: Node, device: PcieDevice, at: int, space: bytearray) -> None:
    model = KINDS["virtual_functions"].registers["Device"]
    if not int.from_bytes(space[at + model.offset : at + model.offset + 2], "little"):
        _put(space, at + model.offset, 2, int(device.ids.partition(":")[2], 16))
    for placed in resources(world.inventory, node).bars.get(device.address, ()):
        if placed.bar.virtual:
            _address(space, at + 0x24 + 4 * placed.bar.index, placed)


def _show_link(device: PcieDevice, running: pcie.Link | None, space: bytearray) -> None:
    """Speed and width of the link, what it could do, and whether its training was whole."""
    at = next((one.at for one in profile(device).capabilities if one.kind == "express"), None)
    if at is None or not device.width:
        return
    width = running.max_width if device.role == "switch_downstream" and running else device.width
    express = KINDS["express"].registers
    _change(space, at, express["LnkCap"], Speed=device.generation, Width=width)
    _change(space, at, express["LnkCap2"], Speeds=(1 << device.generation) - 1)
    _change(space, at, express["LnkCtl2"], Speed=device.generation)
    _change(
        space, at, express["LnkSta"], Speed=running.generation if running else 1, Width=running.width if running else 0
    )
    if device.role in _PORTS:
        _change(space, at, express["LnkSta"], DLActive=int(running is not None))
        _change(space, at, express["SltSta"], PresDet=int(running is not None and device.role == "switch_downstream"))
    if running and running.generation >= _FIRST_EQUALISED_GENERATION and not device.role.startswith("switch_"):
        equal = {"EqualizationComplete": 1, "EqualizationPhase1": 1, "EqualizationPhase2": 1, "EqualizationPhase3": 1}
        _change(space, at, express["LnkSta2"], **equal)


def _running(world: World, node: Node, device: PcieDevice) -> pcie.Link | None:
    """The link of a function: upward for most, downward for ports; None if nobody answers there."""
    if device.role not in _PORTS:
        return pcie.link(world, node.name, device.address)
    below = next((other for other in node.pcie if other.parent == device.address), None)
    if below is None or not pcie.answers(world, node.name, below.address):
        return None
    return pcie.link(world, node.name, below.address)


def _change(space: bytearray, at: int, register: Register, **fields: int) -> None:
    place = at + register.offset
    value = int.from_bytes(space[place : place + register.size], "little")
    for name, number in fields.items():
        value = register.put(value, name, number)
    _put(space, place, register.size, value)


def _put(space: bytearray, at: int, size: int, value: int) -> None:
    space[at : at + size] = value.to_bytes(size, "little")

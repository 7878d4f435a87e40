"""What a node's firmware gives its PCI functions at boot: bus numbers, memory windows of bridges, base addresses,
interrupts.

Law: each bus that leaves the processor has whole tebibytes above 4 GiB for 64-bit prefetchable windows and multiples of
64 MiB below for the rest; inside, the largest come first, each aligned to its size, and a bridge forwards whole
mebibytes. Slots are provided for whether or not something answers there, so a part that is away moves nobody's address.
The bases are guesses; sizes and alignment follow the specification.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass
from engine.physics.config_space.bridges import BRIDGES, HUB_PORT, HUB_PORTS
from engine.physics.config_space.endpoints import ENDPOINTS
from engine.physics.config_space.profile import MIB, Bar, Profile
from engine.world.inventory import Inventory, Node, PcieDevice

_HIGH_BASE, _HIGH_STRIDE = 0x2000_0000_0000, 1 << 40
_LOW_BASE, _LOW_STRIDE = 0x9000_0000, 64 * MIB
_FIRST_MESSAGE_INTERRUPT, _FIRST_WIRED_INTERRUPT = 24, 16


@dataclass(frozen=True, slots=True)
class Placed:
    """A base address register and the address that it was given."""

    bar: Bar
    base: int


@dataclass(frozen=True, slots=True)
class Resources:
    """Of all functions of a node, by their addresses. `windows` are (base, size) of what a bridge forwards: below and
    above 4 GiB; `roots` the same of each bus that leaves the processor, by its number.
    """

    bars: Mapping[str, tuple[Placed, ...]]
    roms: Mapping[str, int]
    windows: Mapping[str, tuple[tuple[int, int] | None, tuple[int, int] | None]]
    buses: Mapping[str, tuple[int, int]]
    interrupts: Mapping[str, int]
    roots: Mapping[int, tuple[tuple[int, int], tuple[int, int]]]


def profile(device: PcieDevice) -> Profile:
    """The profile of a function. Raises KeyError for a role that has none."""
    return profile_of(device.role, device.ids)


def profile_of(role: str, ids: str) -> Profile:
    """The profile of a part, by its ids or else by its role. Raises KeyError for a role that has none."""
    if ids in HUB_PORTS:
        return HUB_PORT
    return BRIDGES[role] if role in BRIDGES else ENDPOINTS[role]


def bus_number(address: str) -> int:
    """The bus of `0000:1b:00.0`."""
    return int(address[5:7], 16)


def resources(inventory: Inventory, node: Node) -> Resources:
    """What the firmware of `node` hands out."""
    return inventory.once(("pci resources", node.name), lambda: _hand_out(node))


def _hand_out(node: Node) -> Resources:
    plan, low, high, roots = _Plan(node), _LOW_BASE, _HIGH_BASE, {}
    for bus in plan.root_buses():
        low_end = _aligned(plan.place(bus, False, low) + 1, _LOW_STRIDE)
        high_end = _aligned(plan.place(bus, True, high) + 1, _HIGH_STRIDE)
        roots[bus_number(bus[0].address)] = (low, low_end - low), (high, high_end - high)
        low, high = low_end, high_end
    bridges = [device.address for device in node.pcie if device.role in BRIDGES]
    windows = {address: (plan.windows.get((address, False)), plan.windows.get((address, True))) for address in bridges}
    bars = {
        address: tuple(sorted(placed, key=lambda one: (one.bar.virtual, one.bar.index)))
        for address, placed in plan.bars.items()
    }
    return Resources(
        bars=MappingProxyType(bars),
        roms=MappingProxyType(plan.roms),
        windows=MappingProxyType(windows),
        buses=MappingProxyType(_bus_ranges(node)),
        interrupts=MappingProxyType(_interrupts(node)),
        roots=MappingProxyType(roots),
    )


@dataclass(frozen=True, slots=True)
class _Request:
    """Address space that something on a bus asks for: a register (`bar`), a ROM (neither), or a bridge's window."""

    size: int
    alignment: int
    address: str
    bar: Bar | None = None
    bridge: bool = False


class _Plan:
    """Packs requests bus by bus, from the leaves up, and then gives addresses from the root down. A bus is a list of
    functions.
    """

    def __init__(self, node: Node) -> None:
        self._below: dict[str | None, list[PcieDevice]] = {}
        for device in node.pcie:
            self._below.setdefault(device.parent, []).append(device)
        self.bars: dict[str, list[Placed]] = {}
        self.roms: dict[str, int] = {}
        self.windows: dict[tuple[str, bool], tuple[int, int]] = {}

    def root_buses(self) -> list[list[PcieDevice]]:
        """The buses that leave the processor, by number."""
        buses: dict[int, list[PcieDevice]] = {}
        for device in self._below.get(None, []):
            buses.setdefault(bus_number(device.address), []).append(device)
        return [buses[number] for number in sorted(buses)]

    def place(self, bus: list[PcieDevice], high: bool, base: int) -> int:
        """Give addresses from `base` on to everything on `bus` and below. Returns where it ends."""
        for request in self._requests(bus, high):
            base = _aligned(base, request.alignment)
            if request.bridge:
                self.windows[request.address, high] = (base, request.size)
                self.place(self._below.get(request.address, []), high, base)
            elif request.bar:
                self.bars.setdefault(request.address, []).append(Placed(request.bar, base))
            else:
                self.roms[request.address] = base
            base += request.size
        return base

    def _requests(self, bus: list[PcieDevice], high: bool) -> list[_Request]:
        wanted = []
        for device in bus:
            part = profile(device)
            wanted += [_Request(b.total, b.size, device.address, b) for b in part.bars if b.high == high]
            if part.rom and not high:
                wanted.append(_Request(part.rom, part.rom, device.address))
            below = self._requests(self._below.get(device.address, []), high)
            if below:
                size = _aligned(_packed(below), MIB)
                wanted.append(_Request(size, max(MIB, *(one.alignment for one in below)), device.address, bridge=True))
        return sorted(wanted, key=lambda one: (-one.alignment, one.address, one.bar.virtual if one.bar else 0))


def _packed(requests: list[_Request]) -> int:
    end = 0
    for request in requests:
        end = _aligned(end, request.alignment) + request.size
    return end


def _aligned(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment


def _bus_ranges(node: Node) -> dict[str, tuple[int, int]]:
    """Secondary and subordinate bus of each bridge; one with nothing behind it takes a number that is left between its
    siblings'.
    """
    below: dict[str, list[int]] = {}
    for device in node.pcie:
        for bridge in node.path_to_root(device.address)[1:]:
            below.setdefault(bridge.address, []).append(bus_number(device.address))
    ranges = {}
    taken = {number for numbers in below.values() for number in numbers}
    for device in node.pcie:
        if device.role not in BRIDGES:
            continue
        numbers = below.get(device.address, [])
        if not numbers:
            numbers = [next(number for number in range(bus_number(device.address) + 1, 256) if number not in taken)]
            taken |= set(numbers)
        ranges[device.address] = (min(numbers), max(numbers))
    return ranges


def _interrupts(node: Node) -> dict[str, int]:
    """Functions that signal by message get numbers from 24 on; with MSI-X the old wire's number stays on show (numbers
    are guesses).
    """
    numbers, next_message = {}, _FIRST_MESSAGE_INTERRUPT
    for device in node.pcie:
        part = profile(device)
        kinds = {one.kind: one for one in part.capabilities}
        if "msi" in kinds and "Enable" in kinds["msi"].registers.get("Flags", ""):
            numbers[device.address] = next_message
            next_message += 1
        elif part.pin:
            numbers[device.address] = _FIRST_WIRED_INTERRUPT + bus_number(device.address) % 4
    return numbers

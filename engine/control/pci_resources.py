"""What firmware gave to a node's PCI functions, as the kernel tells of it: host bridges, buses, windows and regions.

The addresses are those of the configuration spaces (engine.physics.config_space), so that the boot's log, sysfs and
lspci agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass
from engine.physics.config_space.resources import Placed, bus_number, resources
from engine.world.inventory import Inventory, Node

BRIDGES = ("root_port", "switch_upstream", "switch_downstream")
bus_of = bus_number


@dataclass(frozen=True, slots=True)
class Region:
    """A base address register or a bridge's window: its number, where it lies, how it is decoded."""

    bar: int
    start: int
    size: int
    wide: bool
    prefetchable: bool

    @property
    def end(self) -> int:
        """The last address."""
        return self.start + self.size - 1

    @property
    def text(self) -> str:
        """As the kernel prints a resource: `[mem 0x212002000000-0x212002ffffff 64bit pref]`."""
        flags = (" 64bit" if self.wide else "") + (" pref" if self.prefetchable else "")
        return f"[mem {self.start:#010x}-{self.end:#010x}{flags}]"


@dataclass(frozen=True, slots=True)
class RootBus:
    """A host bridge: its bus numbers and the address windows that it forwards (first and last address)."""

    bus: int
    last: int
    numa: int
    wide: tuple[int, int]
    narrow: tuple[int, int]


def root_buses(inventory: Inventory, node: Node) -> list[RootBus]:
    """The host bridges, by bus number; the last bus of each is the one before the next bridge's."""
    numa = {bus_of(device.address): device.numa for device in node.pcie if device.parent is None}
    roots = resources(inventory, node).roots
    numbers = sorted(roots)
    following = zip(numbers, [*numbers[1:], 0x100], strict=True)
    return [RootBus(bus, after - 1, numa[bus], _span(roots[bus][1]), _span(roots[bus][0])) for bus, after in following]


def regions(inventory: Inventory, host: str) -> Mapping[str, tuple[Region, ...]]:
    """The regions of every function, by address; those of virtual functions are not among them."""
    return inventory.once(("pci regions", host), lambda: MappingProxyType(_regions(inventory, host)))


def bus_ranges(inventory: Inventory, host: str) -> Mapping[str, tuple[int, int]]:
    """For each bridge the bus directly behind it and the last one below it."""
    return resources(inventory, inventory.node(host)).buses


def windows(inventory: Inventory, host: str, bridge: str) -> list[Region]:
    """What a bridge forwards: memory, then 64-bit prefetchable memory; nothing where nothing is below."""
    low, high = resources(inventory, inventory.node(host)).windows[bridge]
    return [Region(0, *window, wide, wide) for window, wide in ((low, False), (high, True)) if window]


def _span(window: tuple[int, int]) -> tuple[int, int]:
    base, size = window
    return base, base + size - 1


def _regions(inventory: Inventory, host: str) -> dict[str, tuple[Region, ...]]:
    given = resources(inventory, inventory.node(host)).bars
    return {address: tuple(_region(one) for one in placed if not one.bar.virtual) for address, placed in given.items()}


def _region(placed: Placed) -> Region:
    bar = placed.bar
    return Region(bar.index, placed.base, bar.size, bar.bits == 64, bar.prefetchable)

"""lspci -t: buses and bridges as a tree. Up to 3.7 the buses that leave the processor are listed from the highest
number down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.commands.pci._lspci.filters import Filter
from engine.commands.pci._lspci.function import Function
from engine.commands.pci._lspci.terse import Manner

_BRIDGE = 1


@dataclass
class _Bus:
    """A bus and the functions on it."""

    domain: int
    number: int
    functions: list[Function] = field(default_factory=list)


class Tree:
    """The functions of a host by bus."""

    def __init__(self, functions: Sequence[Function], manner: Manner, chosen: Filter | None) -> None:
        self._functions, self._manner, self._chosen = functions, manner, chosen
        bridges = [function for function in functions if function.header == _BRIDGE]
        self._below = {one.device.address: _Bus(one.domain, one.byte(0x19)) for one in bridges}
        roots: dict[tuple[int, int], _Bus] = {}
        for function in functions:
            bus = self._below.get(function.device.parent or "")
            if bus is None:
                bus = roots.setdefault((function.domain, function.bus), _Bus(function.domain, function.bus))
            bus.functions.append(function)
        order = sorted(roots.values(), key=lambda bus: (bus.domain, bus.number), reverse=not manner.edition.kernel_view)
        self._roots = order

    def lines(self) -> list[str]:
        """The tree, or what of it leads to chosen functions; up to 3.7 only chosen bridges, each as its own tree."""
        if self._chosen and not self._manner.edition.kernel_view:
            return self._chosen_bridges(self._chosen)
        shown = [bus for bus in self._roots if self._has(bus, self._chosen)]
        lines: list[str] = []
        if len(self._roots) == 1:
            prefix = f"-[{self._roots[0].domain:04x}:{self._roots[0].number:02x}]-" if shown else "-"
            return self._bus(self._roots[0], prefix, self._chosen) if shown else [prefix]
        for number, bus in enumerate(shown):
            mark = "" if len(shown) == 1 else "\\-" if number == len(shown) - 1 else "+-"
            lead = "-" if number == 0 else " "
            head = f"{lead}{mark}[{bus.domain:04x}:{bus.number:02x}]-"
            lines += self._bus(bus, head, self._chosen)
        return lines or ["-"]

    def _chosen_bridges(self, chosen: Filter) -> list[str]:
        bridges = [f for f in self._functions if f.device.address in self._below and chosen.matches(f)]
        return [text for one in bridges for text in self._function(one, f"{one.domain:04x}:{one.bus:02x}:", None)]

    def _has(self, bus: _Bus, chosen: Filter | None) -> bool:
        return chosen is None or any(self._wanted(function, chosen) for function in bus.functions)

    def _wanted(self, function: Function, chosen: Filter | None) -> bool:
        if chosen is None or chosen.matches(function):
            return True
        below = self._below.get(function.device.address)
        return below is not None and self._has(below, chosen)

    def _bus(self, bus: _Bus, prefix: str, chosen: Filter | None) -> list[str]:
        """Lines of a bus whose first one begins with `prefix`."""
        shown = [function for function in bus.functions if self._wanted(function, chosen)]
        if not shown:
            return [prefix]
        if len(shown) == 1:
            return self._function(shown[0], f"{prefix}--", chosen)
        lines: list[str] = []
        for number, function in enumerate(shown):
            mark = "\\-" if number == len(shown) - 1 else "+-"
            lines += self._function(function, f"{prefix}{mark}", chosen)
            prefix = _continued(prefix)
        return lines

    def _function(self, function: Function, prefix: str, chosen: Filter | None) -> list[str]:
        text = f"{prefix}{function.slot:02x}.{function.number:x}"
        below = self._below.get(function.device.address)
        if below is None:
            name = f"  {self._manner.names.vendor_and_device(function.device.ids)}" if self._manner.verbose else ""
            return [text + name]
        last = function.byte(0x1A)
        buses = f"{below.number:02x}" if below.number == last else f"{below.number:02x}-{last:02x}"
        inside = None if chosen and chosen.matches(function) and self._manner.edition.kernel_view else chosen
        return self._bus(below, f"{text}-[{buses}]--", inside)


def _continued(prefix: str) -> str:
    """What stands under a prefix on the lines that follow."""
    return "".join("|" if letter in "+|" else " " for letter in prefix)

"""Racks with what stands in them, as the site's documentation has it. No Textual."""

from __future__ import annotations

from dataclasses import dataclass

from engine.world.inventory import Inventory


@dataclass(frozen=True, slots=True)
class Rack:
    """A rack: its machines by the unit that they begin at, the highest first."""

    name: str
    machines: tuple[tuple[int, str], ...]


def racks(inventory: Inventory, text: str = "") -> list[Rack]:
    """The racks that hold something: all, or those with a text in their name or in that of a machine."""
    found: dict[str, list[tuple[int, str]]] = {name: [] for name in inventory.racks}
    for name in inventory.node_names:
        rack, unit = inventory.place(name)
        found.setdefault(rack, []).append((unit, name))
    for switch in inventory.switches.values():
        found.setdefault(switch.rack, []).append((switch.unit, switch.name))
    wanted = text.strip().lower()
    return [
        Rack(name, tuple(sorted(machines, key=lambda one: (-one[0], one[1]))))
        for name, machines in found.items()
        if machines and (wanted in name.lower() or any(wanted in machine for _, machine in machines))
    ]

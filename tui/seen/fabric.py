"""The fabric as a picture: switches tier by tier, in as few cells as there is room for, and what each is cabled to.

Tiers, cables and rails are the site's documentation; how anything is comes from sightings only. No Textual.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.world.inventory import Inventory
from tui.look.glyphs import State
from tui.seen.knowledge import Knowledge, worst
from tui.seen.site import Site

_ORDER = ("core", "spine", "leaf")
"""Tiers from the top; other roles come below them, and last the nodes."""
NODES = "nodes"


@dataclass(frozen=True, slots=True)
class Cell:
    """One sign of the picture: one machine, or several that stand in a row."""

    machines: tuple[str, ...]

    @property
    def title(self) -> str:
        """`leaf-01`, or `leaf-01 to leaf-08`."""
        return self.machines[0] if len(self.machines) == 1 else f"{self.machines[0]} to {self.machines[-1]}"


@dataclass(frozen=True, slots=True)
class Tier:
    """Switches of one role, or nodes."""

    role: str
    cells: tuple[Cell, ...]

    @property
    def machines(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(name for cell in self.cells for name in cell.machines)


@dataclass(frozen=True, slots=True)
class Bundle:
    """The cables from a machine to one neighbour (a switch, or an adapter of a node): `ports` of the machine and `far`
    ends, cable by cable. `rail` is that of an adapter at one of the ends.
    """

    neighbour: str
    ports: tuple[str, ...]
    far: tuple[str, ...]
    rail: int | None = None


@dataclass(frozen=True)
class Fabric:
    """The machines of an inventory that have a cable."""

    inventory: Inventory

    def all(self) -> list[str]:
        """Every switch and every node with a cable, in the site's order."""
        return [*self.inventory.switches, *(name for name in self.inventory.node_names if self.bundles(name))]

    def tiers(self, names: Iterable[str], columns: int) -> list[Tier]:
        """Some machines tier by tier, each tier in at most `columns` cells of equal size."""
        by_role: dict[str, list[str]] = {}
        for name in names:
            switch = self.inventory.switches.get(name)
            by_role.setdefault(switch.role if switch else NODES, []).append(name)
        by_role.get(NODES, []).sort(key=lambda name: Site(self.inventory).board(name).role != "compute")
        roles = sorted(by_role, key=lambda role: (role == NODES, _ORDER.index(role) if role in _ORDER else len(_ORDER)))
        return [Tier(role, tuple(_cells(by_role[role], columns))) for role in roles]

    def around(self, names: Iterable[str]) -> list[str]:
        """Some machines and those that are cabled to them, in the site's order."""
        wanted = set(names)
        for name in tuple(wanted):
            wanted |= {self.machine(bundle) for bundle in self.bundles(name)}
        return [name for name in (*self.inventory.switches, *self.inventory.node_names) if name in wanted]

    def bundles(self, machine: str) -> list[Bundle]:
        """What a machine is cabled to, in the order of its ports."""
        ends: dict[str, list[tuple[str, str]]] = {}
        for port in self._ports(machine):
            cable = self.inventory.cables.get(port)
            if cable is not None:
                far = cable.other(port)
                ends.setdefault(self._neighbour(machine, port, far), []).append((port, far))
        return [self._bundle(name, pairs) for name, pairs in ends.items()]

    def _neighbour(self, machine: str, port: str, far: str) -> str:
        """A switch at the other end, or the adapter of a node that is at one of the ends."""
        return far.rpartition("/")[0] if machine in self.inventory.switches else port

    def _bundle(self, neighbour: str, pairs: list[tuple[str, str]]) -> Bundle:
        rail = next((found for pair in pairs for end in pair if (found := self._rail(end)) is not None), None)
        ports, far = zip(*pairs, strict=True)
        return Bundle(far[0].rpartition("/")[0], ports, far, rail)

    def _ports(self, machine: str) -> list[str]:
        switch = self.inventory.switches.get(machine)
        if switch is not None:
            return [f"{machine}/{number}" for number in range(1, switch.outer_ports + 1)]
        return [f"{machine}/{hca.port.partition('/')[2]}" for hca in Site(self.inventory).board(machine).hcas]

    def _rail(self, port: str) -> int | None:
        """Which of its node's adapters for computing a port belongs to; None of any other port."""
        node = port.partition("/")[0]
        return None if node in self.inventory.switches else self._rails(node).get(port.partition("/")[2])

    def _rails(self, node: str) -> Mapping[str, int]:
        pattern = self.inventory.pattern(node)
        return self.inventory.once(("seen", "rails", pattern), lambda: _rails_of(self.inventory, pattern))

    def machine(self, bundle: Bundle) -> str:
        """The switch or node at the other end."""
        return bundle.neighbour.partition("/")[0]

    def rails(self, switch: str) -> list[int]:
        """The rails that a leaf carries."""
        return sorted({bundle.rail for bundle in self.bundles(switch) if bundle.rail is not None})

    def fitting(self, text: str) -> list[str]:
        """The machines whose name, role or rack holds a text, and the leaves of such nodes."""
        words = text.lower().strip()
        named = [name for name in (*self.inventory.switches, *self.inventory.node_names) if words in name.lower()]
        placed = [one.name for one in self.inventory.switches.values() if words in (one.role, one.rack.lower())]
        return list(dict.fromkeys([*named, *placed]))


def _rails_of(inventory: Inventory, node: str) -> dict[str, int]:
    """The numbers of a node's adapters for computing, by `mlx5_0/1`, in the order of their devices."""
    compute = [hca for hca in inventory.node(node).hcas if hca.purpose == "compute"]
    return {hca.port.partition("/")[2]: number for number, hca in enumerate(compute)}


@dataclass(frozen=True)
class SeenFabric:
    """How the fabric looked when it was last seen."""

    fabric: Fabric
    knowledge: Knowledge

    def cell(self, cell: Cell) -> State:
        """The worst of a cell's machines."""
        return worst(self.knowledge.state(name) for name in cell.machines)

    def link(self, port: str) -> State:
        """A cable by either of its ends: a port that says nothing leaves the word to the other."""
        cable = self.fabric.inventory.cables[port]
        return worst(self.knowledge.own_state(end) for end in cable.ends)

    def bundle(self, bundle: Bundle) -> State:
        """The worst of its cables."""
        return worst(self.link(port) for port in bundle.ports)

    def told(self, bundle: Bundle) -> Iterator[str]:
        """What was said of those of its cables that looked bad."""
        for port, far in zip(bundle.ports, bundle.far, strict=True):
            for end in (port, far):
                if self.knowledge.own_state(end) not in (State.OK, State.UNKNOWN):
                    values = ", ".join(one.value for one in self.knowledge.of(end).values())
                    yield f"{end}: {values}"


def _cells(names: Sequence[str], columns: int) -> Iterator[Cell]:
    """Names cut into at most so many runs of one length, a power of two (as pods and rails are)."""
    size = 1
    while -(-len(names) // size) > max(columns, 1):
        size *= 2
    for start in range(0, len(names), size):
        yield Cell(tuple(names[start : start + size]))


def numbers(ports: Sequence[str]) -> str:
    """Ports of one switch as people write them: `1-4,7`."""
    found: list[list[int]] = []
    for number in (int(port.rpartition("/")[2]) for port in ports):
        if found and number == found[-1][-1] + 1:
            found[-1][1:] = [number]
        else:
            found.append([number])
    return ",".join("-".join(map(str, run)) for run in found)

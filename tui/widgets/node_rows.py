"""Rows of the map and the cursor in them: racks with their nodes and switches, or a grid of nodes. No Textual.

A row has cells, and a cell a component: a node's are the node itself, its GPUs and, last, all its other parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import groupby

from engine.world.inventory import Inventory
from tui.look.glyphs import State
from tui.seen.knowledge import Knowledge, worst
from tui.seen.site import Site

GRID_FROM = 100
"""From this many nodes on the map opens as a grid."""
RACKS_UP_TO = 256
"""A larger site is listed in the order of its names: finding out every node's rack would make it wait."""
OTHERS = "/+"
"""Ends the id of the cell that stands for all other parts of a node."""


class Kind(Enum):
    """What a row shows."""

    RACK = "rack"
    NODE = "node"
    PART = "part"
    SWITCH = "switch"
    GRID = "grid"


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its name (of a rack, node, part or switch, or of the first node of a grid's row) and its cells."""

    kind: Kind
    name: str
    cells: tuple[str, ...] = ()


class NodeRows:
    """The rows as they are now, filtered, and the cursor. `grid_columns` is how many nodes a row of the grid has."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.site = Site(knowledge.inventory)
        self.grid = len(self.inventory.node_names) >= GRID_FROM
        self.grid_columns = 32
        self.filter = ""
        self.opened: set[str] = set()
        self.rows: list[Row] = []
        self.row = self.column = 0
        self._listed: frozenset[str] = frozenset()
        self.arrange()

    @property
    def inventory(self) -> Inventory:
        """The site's."""
        return self.knowledge.inventory

    @cached_property
    def name_width(self) -> int:
        """Columns that the longest name of a machine takes."""
        return max(map(len, ("node", *self.inventory.node_names, *self.inventory.switches)))

    # The rows

    def arrange(self) -> None:
        """Make the rows anew; the cursor stays on its component where that is still there."""
        kept = self.cell
        self._listed = frozenset(self.site.nodes(self.filter.strip()))
        self.rows = list(self._grid() if self.grid else self._racks())
        if kept is None or not self.choose(kept):
            self.row, self.column = 0, 0
            self._settle(1)

    def _racks(self) -> Iterator[Row]:
        inventory = self.inventory
        if len(inventory.node_names) > RACKS_UP_TO:
            yield from self._machines(list(inventory.node_names), list(inventory.switches))
            return
        nodes: dict[str, list[str]] = {}
        switches: dict[str, list[str]] = {}
        for name in inventory.node_names:
            nodes.setdefault(inventory.node(name).rack, []).append(name)
        for switch in inventory.switches.values():
            switches.setdefault(switch.rack, []).append(switch.name)
        for rack in inventory.racks:
            rows = list(self._machines(nodes.get(rack, []), switches.get(rack, []), rack))
            if rows:
                yield Row(Kind.RACK, rack)
                yield from rows

    def _machines(self, nodes: list[str], switches: list[str], rack: str = "") -> Iterator[Row]:
        for name in nodes:
            if self._wanted(name, rack):
                yield Row(Kind.NODE, name, (name, *self.site.gpus(name), f"{name}{OTHERS}"))
                if name in self.opened:
                    yield from (Row(Kind.PART, part, (part,)) for part in self.other_parts(name))
        for name in switches:
            if self._wanted(name, rack):
                yield Row(Kind.SWITCH, name, (name,))

    def _grid(self) -> Iterator[Row]:
        """Machines whose names differ in their number stand together."""
        wanted = [name for name in (*self.inventory.node_names, *self.inventory.switches) if self._wanted(name, "")]
        for _, group in groupby(wanted, key=lambda name: name.rstrip("0123456789")):
            names = tuple(group)
            for start in range(0, len(names), self.grid_columns):
                yield Row(Kind.GRID, names[start], names[start : start + self.grid_columns])

    def _wanted(self, name: str, rack: str) -> bool:
        text = self.filter.strip().lower()
        if not text:
            return True
        slurm = self.knowledge.value(name, "Slurm") or ""
        words = {name, rack.lower(), slurm, self.state(name).value, self._worst_in(name).value}
        return any(text in word for word in words) or name in self._listed

    def other_parts(self, node: str) -> list[str]:
        """The ids of a node's parts that are no GPUs."""
        gpus = set(self.site.gpus(node))
        return [part for part in self.site.parts(node) if part not in gpus]

    # What is known

    def state(self, cell: str) -> State:
        """How the component of a cell looks."""
        if cell.endswith(OTHERS):
            node = cell.removesuffix(OTHERS)
            gpus = set(self.site.gpus(node))
            return worst(self.knowledge.state(part) for part in self.knowledge.parts(node) if part not in gpus)
        return self.knowledge.state(cell)

    def _worst_in(self, node: str) -> State:
        """The worst of a node and all its parts, each for itself."""
        return worst(self.knowledge.own_state(component) for component in self.knowledge.whole(node))

    def logged(self, cell: str) -> bool:
        """Whether a log had something about the component of a cell."""
        if cell.endswith(OTHERS):
            node = cell.removesuffix(OTHERS)
            gpus = set(self.site.gpus(node))
            return any(self.knowledge.logged(part) for part in self.knowledge.parts(node) if part not in gpus)
        return self.knowledge.logged(cell)

    def seen_at(self, node: str) -> int | None:
        """When something of a node or one of its parts was last seen."""
        times = (self.knowledge.seen_at(component) for component in self.knowledge.whole(node))
        return max((at for at in times if at is not None), default=None)

    # The cursor

    @property
    def cell(self) -> str | None:
        """The cell under the cursor."""
        cells = self.rows[self.row].cells if self.row < len(self.rows) else ()
        return cells[min(self.column, len(cells) - 1)] if cells else None

    @property
    def component(self) -> str | None:
        """The component under the cursor; the node for the cell of all its other parts."""
        return self.cell.removesuffix(OTHERS) if self.cell else None

    @property
    def on_others(self) -> bool:
        """Whether the cursor is on the cell of a node's other parts."""
        return bool(self.cell and self.cell.endswith(OTHERS))

    def choose(self, cell: str) -> bool:
        """Put the cursor on a cell (or a component's row); whether there is one."""
        host = cell.partition("/")[0]
        fallback = None
        for number, row in enumerate(self.rows):
            if cell in row.cells:
                self.row, self.column = number, row.cells.index(cell)
                return True
            if fallback is None and host in row.cells:
                fallback = number, row.cells.index(host)
        if fallback:
            self.row, self.column = fallback
        return fallback is not None

    def move(self, rows: int, columns: int = 0) -> None:
        """Move the cursor; headings are passed over, and short rows do not lose the column."""
        if columns and self.rows:
            last = max(len(self.rows[self.row].cells) - 1, 0)
            self.column = max(min(min(self.column, last) + columns, last), 0)
        self.row = max(min(self.row + rows, len(self.rows) - 1), 0)
        self._settle(1 if rows >= 0 else -1)

    def put(self, row: int, column: int) -> bool:
        """Put the cursor where somebody pointed; whether there is something."""
        if not (0 <= row < len(self.rows) and self.rows[row].cells):
            return False
        self.row, self.column = row, min(max(column, 0), len(self.rows[row].cells) - 1)
        return True

    def _settle(self, step: int) -> None:
        """From a heading to the next row that has cells, or back if there is none."""
        for direction in (step, -step):
            at = self.row
            while 0 <= at < len(self.rows) and not self.rows[at].cells:
                at += direction
            if 0 <= at < len(self.rows):
                self.row = at
                return

    def open_others(self, node: str) -> None:
        """Show a row for each other part of a node, or no longer."""
        self.opened ^= {node}
        self.arrange()

    def toggle_grid(self) -> None:
        """From rows to the grid or back."""
        self.grid = not self.grid
        self.arrange()

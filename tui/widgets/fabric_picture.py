"""The fabric drawn tier by tier: one sign for each switch and node, or for several where there is no room for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.live import Live
from tui.look.glyphs import State
from tui.seen.fabric import Cell, Fabric, SeenFabric, Tier

_STATES = {state: f"fabric--{state.name.lower()}" for state in State}
_ROLE_COLUMNS, _GROUP, _MOST_CELLS = 8, 8, 64


class FabricPicture(Widget, Acts, can_focus=True):
    """A picture of some machines with a cursor. It shows sightings only, never how things are."""

    DEFAULT_CSS = """
    FabricPicture { height: auto; padding: 0 1; }
    FabricPicture .fabric--ok { color: $state-ok; }
    FabricPicture .fabric--degraded { color: $state-degraded; text-style: bold; }
    FabricPicture .fabric--down { color: $state-down; text-style: bold; }
    FabricPicture .fabric--drained { color: $state-drained; }
    FabricPicture .fabric--unknown { color: $state-unknown; }
    FabricPicture .fabric--role { color: $muted; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {*_STATES.values(), "fabric--role"}

    class Moved(Message):
        """The cursor stands on another cell."""

    class Chosen(Message):
        """The cell under the cursor was chosen."""

    class Wider(Message):
        """The picture of more than this is wanted."""

    def __init__(self, live: Live) -> None:
        super().__init__(id="fabric-picture")
        self.fabric = Fabric(live.knowledge.inventory)
        self.seen = SeenFabric(self.fabric, live.knowledge)
        self.machines: Sequence[str] = self.fabric.all()
        self.tiers: list[Tier] = []
        self.tier = self.column = 0
        self.lay_out()

    # What is drawn

    def show(self, machines: Sequence[str], at: str | None = None) -> None:
        """The picture of these machines; the cursor goes to `at`, or stays where it was as far as it can."""
        kept = at or (self.cell.machines[0] if self.cell else None)
        self.machines = machines
        self.lay_out()
        if kept is None or not self.choose(kept):
            self._put(0, 0)

    def lay_out(self) -> None:
        """Lay the cells out for the width that there is."""
        columns = max(self.size.width - _ROLE_COLUMNS - 2, 24)
        self.tiers = self.fabric.tiers(self.machines, min(columns * _GROUP // (_GROUP + 1), _MOST_CELLS))
        self.refresh(layout=True)

    def choose(self, machine: str) -> bool:
        """Put the cursor on a machine; whether it is in the picture."""
        for row, tier in enumerate(self.tiers):
            for column, cell in enumerate(tier.cells):
                if machine in cell.machines:
                    self._put(row, column)
                    return True
        return False

    @property
    def cell(self) -> Cell | None:
        """The cell under the cursor."""
        if self.tier < len(self.tiers):
            cells = self.tiers[self.tier].cells
            return cells[min(self.column, len(cells) - 1)]
        return None

    def on_resize(self, event: events.Resize) -> None:
        """More cells where there is room."""
        kept = self.cell
        self.lay_out()
        if kept is not None:
            self.choose(kept.machines[0])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """A row for each tier."""
        return max(len(self.tiers), 1)

    def render_line(self, y: int) -> Strip:
        """One tier."""
        row = y - self.gutter.top
        if not 0 <= row < len(self.tiers):
            return Strip.blank(self.size.width, self.rich_style)
        return Strip(self._segments(row)).adjust_cell_length(self.size.width, self.rich_style)

    def _segments(self, row: int) -> list[Segment]:
        glyphs, tier = breakfix(self).glyphs, self.tiers[row]
        text = f"{tier.role:<{_ROLE_COLUMNS}}"
        drawn = [Segment(text, self.get_component_rich_style("fabric--role"))]
        at = min(self.column, len(tier.cells) - 1) if row == self.tier else -1
        for number, cell in enumerate(tier.cells):
            if number and number % _GROUP == 0:
                drawn.append(Segment(" ", self.rich_style))
            state = self.seen.cell(cell)
            style = self.get_component_rich_style(_STATES[state])
            drawn.append(Segment(glyphs.of(state), style + Style(reverse=True) if number == at else style))
        return drawn

    # The cursor

    def _put(self, tier: int, column: int) -> None:
        self.tier = max(min(tier, len(self.tiers) - 1), 0)
        most = len(self.tiers[self.tier].cells) - 1 if self.tiers else 0
        self.column = max(min(column, most), 0)
        self.refresh()
        self.post_message(self.Moved())

    @action("fabric.left", "Left", "left", "h")
    def left(self) -> None:
        """The cell on the left."""
        self._put(self.tier, min(self.column, len(self.tiers[self.tier].cells) - 1 if self.tiers else 0) - 1)

    @action("fabric.right", "Right", "right", "l")
    def right(self) -> None:
        """The cell on the right."""
        self._put(self.tier, self.column + 1)

    @action("fabric.up", "Up", "up", "k")
    def up(self) -> None:
        """The tier above."""
        self._put(self.tier - 1, self.column)

    @action("fabric.down", "Down", "down", "j")
    def down(self) -> None:
        """The tier below."""
        self._put(self.tier + 1, self.column)

    @action("fabric.choose", "Into it", "enter", footer=5, when="cell")
    def pick(self) -> None:
        """Look into the cell: the machines in it and those around them, or the cables of the one that it stands for."""
        self.post_message(self.Chosen())

    @action("fabric.wider", "Wider", "-", "backspace", footer=15)
    def wider(self) -> None:
        """The picture of more machines again, in the end of all of them."""
        self.post_message(self.Wider())

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor, a double click looks into the cell."""
        offset = event.get_content_offset(self)
        if offset is None or offset.x < _ROLE_COLUMNS:
            return
        place = offset.x - _ROLE_COLUMNS
        self._put(offset.y, place - place // (_GROUP + 1))
        if event.chain >= 2:
            self.pick()

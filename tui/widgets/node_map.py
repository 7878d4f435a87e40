"""The map: every node, GPU and switch of the site as far as the learner has looked at it. One widget draws it all."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.live import Live
from tui.look.glyphs import State
from tui.widgets.node_paint import Look, NodePaint, cell_at, segments
from tui.widgets.node_rows import Kind, NodeRows

_STATES = {state: f"node-map--{state.name.lower()}" for state in State}
_WIDE_GRID = 88
_WHEEL_ROWS = 3


class NodeMap(Widget, Acts, can_focus=True):
    """A table of nodes by rack, or a grid where there are many. It shows sightings only, never how things are."""

    DEFAULT_CSS = """
    NodeMap { height: 1fr; }
    NodeMap .node-map--ok { color: $state-ok; }
    NodeMap .node-map--degraded { color: $state-degraded; text-style: bold; }
    NodeMap .node-map--down { color: $state-down; text-style: bold; }
    NodeMap .node-map--drained { color: $state-drained; }
    NodeMap .node-map--unknown { color: $state-unknown; }
    NodeMap .node-map--logged { color: $state-degraded; }
    NodeMap .node-map--heading { color: $muted; }
    NodeMap .node-map--dim { color: $muted; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *_STATES.values(), "node-map--logged", "node-map--heading", "node-map--dim"
    }  # fmt: skip
    ABOUT = (
        "Map",
        """
        Every node with its GPUs, as far as you have looked: what commands show on the screen appears here, with its
        age. A temperature stands beside a GPU's sign. `+` is everything else in the node: fans, power supplies, ports.
        A node is degraded when something in it is degraded or down. "seen" without a state: what was shown says nothing
        of how it is. Nothing moves by itself; to know how something is now, look again with a command.
        """,
    )

    class Moved(Message):
        """The cursor is on another component."""

        def __init__(self, component: str | None) -> None:
            super().__init__()
            self.component = component

    class Picked(Message):
        """A component was chosen."""

        def __init__(self, component: str) -> None:
            super().__init__()
            self.component = component

    def __init__(self, live: Live, id: str | None = None) -> None:
        super().__init__(id=id)
        self.live = live
        self.table = NodeRows(live.knowledge)
        self.top = 0
        self._known = live.knowledge.version
        self._painter: NodePaint | None = None

    # Drawing

    def on_resize(self, event: events.Resize) -> None:
        """A wide grid where there is room."""
        self.table.grid_columns = 64 if event.size.width >= _WIDE_GRID else 32
        self.table.arrange()
        self._moved()

    def show_session(self) -> None:
        """Show what is new; ages are new all the time."""
        if self.live.knowledge.version != self._known:
            self._known = self.live.knowledge.version
            self.table.arrange()
            self._moved()
        self.refresh()

    def _look(self) -> Look:
        def style(name: str) -> Style:
            return self.get_component_rich_style(name)

        states = {state: style(name) for state, name in _STATES.items()}
        dim, heading = style("node-map--dim"), style("node-map--heading")
        return Look(breakfix(self).glyphs, states, self.rich_style, dim, heading, style("node-map--logged"))

    def _paint(self) -> NodePaint:
        return NodePaint(self.table, self._look(), self.live.simulation.now)

    def render_lines(self, crop: Region) -> list[Strip]:
        """All that is asked for, with one look at the clock and the theme."""
        self._painter = self._paint()
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """The heading, or the row that lies there."""
        paint, number = self._painter or self._paint(), self.top + y - 1
        if y == 0:
            pieces = paint.heading()
        elif number < len(self.table.rows):
            pieces = paint.row(number)
        else:
            return Strip.blank(self.size.width, self.rich_style)
        return Strip(segments(pieces)).adjust_cell_length(self.size.width, self.rich_style)

    # The cursor

    @property
    def component(self) -> str | None:
        """The component under the cursor."""
        return self.table.component

    @property
    def host(self) -> str | None:
        """The node under the cursor; None on a switch."""
        host = (self.component or "").partition("/")[0]
        return host if host in self.table.inventory.node_index else None

    @property
    def _page(self) -> int:
        return max(self.size.height - 1, 1)

    def _moved(self) -> None:
        lowest = max(len(self.table.rows) - self._page, 0)
        self.top = max(min(self.top, self.table.row - 1 if self.table.row == 1 else self.table.row, lowest), 0)
        self.top = max(self.top, self.table.row - self._page + 1)
        self.refresh()
        self.post_message(self.Moved(self.component))

    def _move(self, rows: int, columns: int = 0) -> None:
        self.table.move(rows, columns)
        self._moved()

    def choose(self, component: str) -> None:
        """Put the cursor on a component."""
        self.table.choose(component)
        self._moved()

    def filter(self, text: str) -> None:
        """Show only what has this in its name, rack, state or Slurm state."""
        self.table.filter = text
        self.table.arrange()
        self._moved()

    @action("map.up", "Up", "up", "k")
    def up(self) -> None:
        """To the row above."""
        self._move(-1)

    @action("map.down", "Down", "down", "j")
    def down(self) -> None:
        """To the row below."""
        self._move(1)

    @action("map.left", "Left", "left", "h")
    def left(self) -> None:
        """To the cell on the left."""
        self._move(0, -1)

    @action("map.right", "Right", "right", "l")
    def right(self) -> None:
        """To the cell on the right: the GPUs, then everything else in the node."""
        self._move(0, 1)

    @action("map.page_up", "Page up", "pageup")
    def page_up(self) -> None:
        """One page up."""
        self._move(-self._page)

    @action("map.page_down", "Page down", "pagedown")
    def page_down(self) -> None:
        """One page down."""
        self._move(self._page)

    @action("map.first", "First", "home", "g")
    def first(self) -> None:
        """To the first row."""
        self._move(-len(self.table.rows))

    @action("map.last", "Last", "end", "G")
    def last(self) -> None:
        """To the last row."""
        self._move(len(self.table.rows))

    @action("map.pick", "Choose", "enter", footer=10)
    def pick(self) -> None:
        """Choose what the cursor is on. On `+`: list everything else that is in the node, or no longer."""
        row = self.table.rows[self.table.row] if self.table.rows else None
        if row is not None and row.kind is Kind.GRID:
            self.toggle_grid()
        elif self.table.on_others:
            self.toggle_parts()
        elif self.component is not None:
            self.post_message(self.Picked(self.component))

    @action("map.parts", "Parts", "x", footer=30)
    def toggle_parts(self) -> None:
        """List everything else that is in the node (fans, power supplies, ports, ...), or no longer."""
        if self.host is not None and not self.table.grid:
            self.table.open_others(self.host)
            self._moved()

    @action("map.grid", "Grid", "c", footer=40)
    def toggle_grid(self) -> None:
        """One sign for each node, or a row for each."""
        self.table.toggle_grid()
        self._moved()

    # The mouse

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor there, a second one chooses."""
        number = self.top + event.y - 1
        if event.y == 0 or number >= len(self.table.rows):
            return
        if self.table.put(number, cell_at(self._paint().row(number), event.x)):
            self._moved()
            if event.chain > 1:
                self.pick()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Further rows."""
        event.stop()
        self.top = min(self.top + _WHEEL_ROWS, max(len(self.table.rows) - self._page, 0))
        self.refresh()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Earlier rows."""
        event.stop()
        self.top = max(self.top - _WHEEL_ROWS, 0)
        self.refresh()

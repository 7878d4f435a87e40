"""The map as a dialog: the nodes, what is known of the chosen component, and a box to filter by."""

from __future__ import annotations

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Input, Static

from tui.actions import action
from tui.app import breakfix
from tui.live.live import Live
from tui.look.glyphs import State
from tui.screens.view import View
from tui.widgets.filter_line import FilterLine
from tui.widgets.node_details import NodeDetails
from tui.widgets.node_map import NodeMap

EMPTY = "Nothing seen yet. What commands show on the screen appears here."
_WIDE, _WIDER = 118, 150
_SECONDS_BETWEEN_LOOKS = 1.0


class MapScreen(View):
    """The map of a session. Its result is a component to `pick`; else the node to open a terminal on."""

    VIEW = "map"
    title_text = "Map: what you have seen"
    CSS = """
    MapScreen .dialog { width: 100%; max-width: 100%; height: 1fr; max-height: 100%; }
    MapScreen #map-parts { layout: vertical; height: 1fr; }
    MapScreen NodeDetails { height: 7; }
    MapScreen.wide #map-parts { layout: horizontal; }
    MapScreen.wide NodeMap { width: 80; height: 100%; }
    MapScreen.wider NodeMap { width: 96; }
    MapScreen.wide NodeDetails { width: 1fr; height: 100%; border-top: none; border-left: solid $frame; }
    MapScreen.wide NodeDetails:focus { border-top: none; border-left: solid $accent; }
    MapScreen #map-legend { height: 1; color: $muted; }
    """

    def __init__(self, live: Live, pick: bool = False, at: str | None = None) -> None:
        super().__init__(live, at)
        self.pick = pick
        self.map = NodeMap(live)

    def content(self) -> ComposeResult:
        """Map and details, and below them the filter and what the signs mean."""
        with Container(id="map-parts"):
            yield self.map
            yield NodeDetails(self.live)
        yield FilterLine(self.map, "name, dgx-[01-03], rack, drain, down, ...")
        yield Static(markup=False, id="map-legend")

    def on_mount(self) -> None:
        """Look at what is new now and then; ages grow by themselves."""
        super().on_mount()
        self.map.focus()
        if self.at is not None:
            self.map.choose(self.at)
        self.set_interval(_SECONDS_BETWEEN_LOOKS, self.show_session)
        self.show_session()

    def on_resize(self, event: events.Resize) -> None:
        """Details beside the map where there is room, else below."""
        self.set_class(event.size.width >= _WIDE, "wide")
        self.set_class(event.size.width >= _WIDER, "wider")

    @property
    def can_turn(self) -> bool:
        """Not while a component is to be picked."""
        return not self.pick

    @property
    def component(self) -> str | None:
        """What the cursor is on."""
        return self.map.component

    @property
    def can_open(self) -> bool:
        """Whether a terminal can be opened on what the cursor is on."""
        return not self.pick and self.map.host is not None

    def show_session(self) -> None:
        """Show the session as it is now."""
        self.map.show_session()
        self.query_one(NodeDetails).show_session()
        self.query_one("#map-legend", Static).update(self._legend())

    def _legend(self) -> str:
        glyphs = breakfix(self).glyphs
        if not self.live.knowledge.version:
            return EMPTY
        words = [f"{glyphs.of(state)} {state.value}" for state in State]
        return "  ".join([*words, f"{glyphs.logged} in a log", "dim: old"])

    @on(NodeMap.Moved)
    def _moved(self, message: NodeMap.Moved) -> None:
        self.query_one(NodeDetails).show(message.component)

    @on(NodeMap.Picked)
    def _picked(self, message: NodeMap.Picked) -> None:
        if self.pick:
            self.dismiss(message.component)
        else:
            self.query_one(NodeDetails).focus()

    @on(Input.Changed)
    def _filtered(self, message: Input.Changed) -> None:
        self.map.filter(message.value)

    @action("map.filter", "Filter", "/", footer=50)
    def show_filter(self) -> None:
        """Show only some nodes: by name, rack, state or what Slurm says of them."""
        self.query_one(FilterLine).call()

    @action("map.open", "Terminal there", "o", footer=20, when="can_open")
    def open_host(self) -> None:
        """Open a terminal on the node that the cursor is on."""
        self.dismiss(self.map.host)

    @property
    def has_board(self) -> bool:
        """Whether the cursor is on a node, or on something in one."""
        return self.map.host is not None

    @action("map.board", "Board", "b", footer=15, when="has_board")
    def show_board(self) -> None:
        """The board of the node that the cursor is on: what hangs where in it."""
        from tui.screens.board import BoardScreen

        assert self.map.host is not None
        self.app.push_screen(BoardScreen(self.live, self.map.host))

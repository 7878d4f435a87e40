"""The board of a node: its GPUs, adapters, NVSwitches, fans, supplies and drives, as far as they were seen."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.widgets import Static

from tui.app import breakfix
from tui.live.live import Live
from tui.look.glyphs import State
from tui.widgets.dialog import Dialog
from tui.widgets.node_board import Board

_SECONDS_BETWEEN_LOOKS = 1.0


class BoardScreen(Dialog[None]):
    """The board of `host`."""

    ABOUT = (
        "Board",
        """
        What hangs below which root port of a node's sockets, and everything else in it. A sign shows how a part looked
        when a command last showed it on the screen; nothing moves by itself.
        """,
    )
    CSS = """
    BoardScreen .dialog { width: 100%; max-width: 110; height: auto; max-height: 100%; }
    BoardScreen Static { height: auto; padding: 0 1; }
    """

    def __init__(self, live: Live, host: str) -> None:
        super().__init__()
        self.live, self.host = live, host
        self.title_text = f"Board of {host}: what you have seen"

    def content(self) -> ComposeResult:
        """One text."""
        yield Static(markup=False, id="board")

    def on_mount(self) -> None:
        """Look at what is new now and then; the box scrolls."""
        box = self.query_one(".dialog")
        box.can_focus = True
        box.focus()
        self.set_interval(_SECONDS_BETWEEN_LOOKS, self.show_session)
        self.call_after_refresh(self.show_session)

    def on_resize(self, event: events.Resize) -> None:
        """As wide as there is room."""
        self.call_after_refresh(self.show_session)

    def show_session(self) -> None:
        """Show it as it is known now."""
        place = self.query_one("#board", Static)
        variables = self.app.theme_variables
        colours = {state: variables.get(state.tone, "") for state in State}
        node = self.live.simulation.world.inventory.node(self.host)
        width = place.scrollable_content_region.width
        place.update(Board(node, self.live.knowledge, breakfix(self).glyphs, colours, width).drawn())

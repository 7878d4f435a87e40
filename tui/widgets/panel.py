"""A panel beside the terminals: a framed box with its key in the frame, showing part of a session."""

from __future__ import annotations

from textual.containers import VerticalScroll

from tui.actions import Acts
from tui.app import breakfix
from tui.live.live import Live


class Panel(VerticalScroll, Acts):
    """A part of the session `live`. `TITLE` stands in its frame, with the key of the action `KEY_OF`."""

    TITLE = ""
    KEY_OF = ""

    def __init__(self, live: Live, id: str | None = None) -> None:
        super().__init__(id=id)
        self.live = live
        self.add_class("panel")

    def on_mount(self) -> None:
        """Write the frame."""
        self.border_title = self.TITLE
        app = breakfix(self)
        known = [one for one in app.offers() if one.action.id == self.KEY_OF]
        if known:
            self.border_subtitle = app.keymap.shown(known[0].action)
        self.show_session()

    def show_session(self) -> None:
        """Something in the session has changed: show it. Called often; do nothing where nothing is new."""

"""Remote hands: orders to the people in the machine room."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Button

from tui.app import breakfix
from tui.live.choices import action_words, actions, targets
from tui.widgets.finder import Finder
from tui.widgets.form import Form
from tui.widgets.notes_panel import order_rows
from tui.widgets.rows import MUTED, Row, Rows


class HandsDialog(Form[str]):
    """Orders physical work on a part. Its result is what to tell the learner about it."""

    title_text = "Remote hands"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Remote hands",
        """
        Somebody walks to the machine, does what you order, and reports. Work that needs a node without power shuts it
        down first, whatever runs on it. Orders for one node are done one after the other.
        """,
    )
    CSS: ClassVar[str] = """
    HandsDialog .dialog { height: 100%; max-height: 32; }
    HandsDialog #action { height: 6; }
    HandsDialog #target { margin: 1 0 0 0; }
    HandsDialog #orders { height: auto; max-height: 4; }
    """
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (("order", "Order it"), ("back", "Back"))

    def fields(self) -> ComposeResult:
        yield Finder("What to do?", actions, self._action_picked, "action", titles=True)
        yield Rows(id="how")
        yield Finder(
            "To what?", lambda typed: targets(self.live, self._action.value, typed), self._target_picked, "target"
        )
        with VerticalScroll(id="orders") as orders:
            orders.can_focus = False
            yield Rows(order_rows(self.live, breakfix(self).glyphs) or [Row("No work is ordered yet.", MUTED)])

    @property
    def _action(self) -> Finder:
        return self.query_one("#action", Finder)

    @property
    def _target(self) -> Finder:
        return self.query_one("#target", Finder)

    @on(Finder.Changed, "#action")
    def _action_changed(self) -> None:
        self._show_how()

    def _show_how(self) -> None:
        """How the chosen action is done, and what it can be done to."""
        words = action_words(self._action.value)
        self.query_one("#how", Rows).show([Row(words, MUTED)] if words else [])
        self._target.find_again()

    def _action_picked(self) -> None:
        self._show_how()
        self._target.enter()

    def _target_picked(self) -> None:
        self.set_focus(self.query_one("#order", Button))

    async def pressed(self, button: str) -> None:
        for finder, wanting in ((self._action, "Say what to do."), (self._target, "Say to what.")):
            if not finder.value:
                self.complain(wanting)
                finder.enter()
                return
        reply = await self.make(f":hands {self._action.value} target={self._target.value}")
        if reply is not None:
            self.dismiss(reply)

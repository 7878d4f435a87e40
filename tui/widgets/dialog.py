"""A dialog: a framed box over the screen. Escape closes it."""

from __future__ import annotations

from typing import Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from tui.actions import Acts, action
from tui.widgets.footer import Footer

Result = TypeVar("Result")


class Dialog(ModalScreen[Result], Acts, Generic[Result]):
    """`title` stands in the frame; `content` yields what is inside. Its result is None when it was closed."""

    title_text = ""
    CLOSES_OUTSIDE = True
    """Whether a click beside the box closes it: not where something typed would be lost."""

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog") as box:
            box.border_title = self.title_text
            box.can_focus = False
            yield from self.content()
        yield Footer()

    def content(self) -> ComposeResult:
        """What is in the box."""
        yield from ()

    def on_click(self, event: events.Click) -> None:
        """A click beside the box."""
        if self.CLOSES_OUTSIDE and event.widget is self:
            event.stop()
            self.close_dialog()

    @action("dialog.close", "Back", "escape", footer=80)
    def close_dialog(self) -> None:
        """Close this without doing anything."""
        self.dismiss(None)

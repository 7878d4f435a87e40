"""A line to filter what a view shows: Enter leaves the filter and goes back to the view, Escape takes it away."""

from __future__ import annotations

from textual.widget import Widget
from textual.widgets import Input

from tui.actions import Acts, action


class FilterLine(Input, Acts):
    """The text to filter by, hidden until it is called. `shown` is what it filters: the focus goes back there."""

    DEFAULT_CSS = """
    FilterLine { display: none; height: 1; border: none; padding: 0 1; }
    """

    def __init__(self, shown: Widget, placeholder: str) -> None:
        super().__init__(placeholder=placeholder, select_on_focus=False)
        self.shown = shown

    def call(self) -> None:
        """Show the line and give it the focus at once: what is typed next is already the filter."""
        self.display = True
        self.screen.set_focus(self)

    @action("filter.done", "Done", "enter", "down", footer=10)
    def done(self) -> None:
        """Go back to what is filtered; the filter stays."""
        self.screen.set_focus(self.shown)

    @action("filter.away", "No filter", "escape", footer=20)
    def away(self) -> None:
        """Show everything again."""
        self.value = ""
        self.done()
        self.display = False

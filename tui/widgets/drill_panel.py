"""A panel that shows a part of a drill as rows."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.geometry import Region
from textual.widget import Widget

from tui.live.drill import LiveDrill
from tui.widgets.panel import Panel
from tui.widgets.rows import Row, Rows, key_of

_NEWS_ROWS = 6
"""So many rows of a panel's end are enough to see what is new."""


class DrillPanel(Panel):
    """A panel of rows: a subclass says which. What is new comes at the end and is scrolled to."""

    def __init__(self, live: LiveDrill, id: str | None = None) -> None:
        super().__init__(live, id)
        self.drill = live
        self._shown_before = False

    def compose(self) -> ComposeResult:
        yield Rows()

    def on_mount(self) -> None:
        """Write the key into the frame."""
        self.border_subtitle = self.key

    @property
    def key(self) -> str:
        """The key of `KEY_OF`, as people read it."""
        return key_of(self, self.KEY_OF)

    def rows(self) -> Sequence[Row]:
        """What there is to show now."""
        return ()

    def show_session(self) -> None:
        """Show what there is; from the second time on, what is new at once."""
        if self.query_one(Rows).show(self.rows()) and self._shown_before:
            self.call_after_refresh(self._scroll_to_news)
        self._shown_before = True

    def _scroll_to_news(self) -> None:
        """Bring the end into view, in this panel and in the column it stands in, unless somebody reads there."""
        column = self.parent
        if not isinstance(column, Widget) or column.has_focus_within:
            return
        self.scroll_end(animate=False, immediate=True)
        whole = self.virtual_region
        end = Region(whole.x, max(whole.bottom - _NEWS_ROWS, whole.y), whole.width, min(_NEWS_ROWS, whole.height))
        column.scroll_to_region(end, animate=False, immediate=True)

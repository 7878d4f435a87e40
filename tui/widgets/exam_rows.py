"""A few texts to choose from that wrap in the width there is: a cursor moves over them by keys and by mouse."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region, Size
from textual.widget import Widget

from tui.actions import Acts, action
from tui.app import breakfix
from tui.widgets.rows import Piece, Row, laid_out

_ON_CURSOR, _ON_CURSOR_ELSEWHERE = "bold $on-accent on $accent", "on $selection"


class ChoiceRows(Widget, Acts, can_focus=True):
    """Rows with a cursor. A subclass says what the cursor and a click do (`touched`)."""

    DEFAULT_CSS = """
    ChoiceRows { height: auto; width: 1fr; text-wrap: nowrap; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.rows: list[Row] = []
        self.cursor = 0

    def show(self, rows: Sequence[Row]) -> None:
        """Show these rows; the cursor stays where it is."""
        self.rows = list(rows)
        self.cursor = min(self.cursor, max(len(rows) - 1, 0))
        self.refresh(layout=True)

    def touched(self, place: int) -> None:
        """The row at a place was clicked; the cursor stands there."""

    def put_cursor(self, place: int) -> None:
        """The cursor goes to a place, as far as there are any, and is shown there."""
        self.cursor = min(max(place, 0), max(len(self.rows) - 1, 0))
        self.refresh()
        self.call_after_refresh(self.reveal)

    def reveal(self) -> None:
        """Scroll to where the cursor stands."""
        tops = [number for number, (place, _) in enumerate(self._laid_out()) if place == self.cursor]
        scroller = next((one for one in self.ancestors if isinstance(one, VerticalScroll)), None)
        if scroller is None or not tops:
            return
        top = self.region.y - scroller.region.y + scroller.scroll_offset.y + tops[0]
        scroller.scroll_to_region(Region(0, top, 1, len(tops)), animate=False, force=True)

    # Drawing

    def _laid_out(self, width: int | None = None) -> list[tuple[int, list[Piece]]]:
        """Every line with the place of its row."""
        room = self.content_size.width if width is None else width
        ellipsis = breakfix(self).glyphs.ellipsis
        return [(place, line) for place, row in enumerate(self.rows) for line in laid_out([row], room, ellipsis)]

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As wide as there is room."""
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the rows take at this width."""
        return len(self._laid_out(width))

    def render(self) -> Content:
        """All lines."""
        width = self.content_size.width
        on_cursor = _ON_CURSOR if self.has_focus else _ON_CURSOR_ELSEWHERE
        lines = []
        for place, pieces in self._laid_out():
            if place == self.cursor:
                text = "".join(text for text, _ in pieces)
                lines.append(Content.styled(text + " " * max(width - cell_len(text), 0), on_cursor))
            else:
                lines.append(Content.assemble(*pieces))
        return Content("\n").join(lines)

    def on_focus(self) -> None:
        """The cursor looks different."""
        self.refresh()

    def on_blur(self) -> None:
        """The cursor looks different."""
        self.refresh()

    # Keys and mouse

    def on_click(self, event: events.Click) -> None:
        """A click goes to a row and touches it."""
        offset = event.get_content_offset(self)
        lines = self._laid_out()
        if offset is None or offset.y >= len(lines):
            return
        event.stop()
        self.cursor = lines[offset.y][0]
        self.refresh()
        self.touched(self.cursor)

    @action("answer.up", "Up", "up")
    def up(self) -> None:
        """The one above."""
        self.go(-1)

    @action("answer.down", "Down", "down")
    def down(self) -> None:
        """The one below."""
        self.go(1)

    def go(self, step: int) -> None:
        """Move the cursor."""
        self.put_cursor(self.cursor + step)

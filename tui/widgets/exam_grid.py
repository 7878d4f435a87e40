"""All items of an exam at a glance: a grid in which each says whether it is answered and flagged."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.exam import Sitting

CELL = 17


class ExamGrid(ScrollView, Acts, can_focus=True):
    """The grid. It posts Chosen for Enter and for a click."""

    DEFAULT_CSS = """
    ExamGrid { height: auto; max-height: 20; overflow-x: hidden; }
    ExamGrid > .grid--cursor { background: $accent; color: $on-accent; text-style: bold; }
    ExamGrid > .grid--open { color: $muted; }
    ExamGrid > .grid--part { color: $state-degraded; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"grid--cursor", "grid--open", "grid--part"}

    class Chosen(Message):
        """This item was chosen."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, sitting: Sitting) -> None:
        super().__init__(id="grid")
        self.sitting = sitting
        self.cursor = sitting.number

    @property
    def columns(self) -> int:
        """How many cells stand in a row."""
        return max(self.scrollable_content_region.width // CELL, 1)

    @property
    def count(self) -> int:
        """How many items there are."""
        return len(self.sitting.attempt.items)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as the cells take."""
        return -(-self.count // max(width // CELL, 1))

    def on_resize(self, event: events.Resize) -> None:
        """Another width."""
        self.virtual_size = Size(self.scrollable_content_region.width, -(-self.count // self.columns))
        self._reveal()

    def state(self, number: int) -> tuple[str, str, str]:
        """Sign, word and style of an item."""
        glyphs, attempt = breakfix(self).glyphs, self.sitting.attempt
        if attempt.responses[number].revealed:
            right = attempt.mark(number).right
            return (glyphs.tick, "right", "") if right else (glyphs.cross, "wrong", "grid--part")
        if attempt.responses[number].answer is None:
            return glyphs.unchosen, "open", "grid--open"
        return (
            (glyphs.ok, "answered", "") if attempt.is_complete(number) else (glyphs.degraded, "in part", "grid--part")
        )

    def render_line(self, y: int) -> Strip:
        """One row of cells."""
        width, first = self.scrollable_content_region.width, (y + self.scroll_offset.y) * self.columns
        cells = [self._cell(number) for number in range(first, min(first + self.columns, self.count))]
        return Strip(cells).adjust_cell_length(width, self.rich_style)

    def _cell(self, number: int) -> Segment:
        sign, word, style = self.state(number)
        flag = breakfix(self).glyphs.pin if self.sitting.attempt.responses[number].flagged else " "
        text = set_cell_size(f"{number + 1:>3} {sign} {word:<9}{flag}", CELL)
        drawn: Style = self.rich_style
        if number == self.cursor:
            drawn = self.get_component_rich_style("grid--cursor")
        elif style:
            drawn += self.get_component_rich_style(style, partial=True)
        return Segment(text, drawn)

    def on_click(self, event: events.Click) -> None:
        """A click goes to the item."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        number = (offset.y + self.scroll_offset.y) * self.columns + offset.x // CELL
        if offset.x // CELL < self.columns and number < self.count:
            event.stop()
            self.post_message(self.Chosen(number))

    def put(self, number: int) -> None:
        """The cursor goes to an item."""
        self.cursor = min(max(number, 0), self.count - 1)
        self._reveal()
        self.refresh()

    def _reveal(self) -> None:
        row = self.cursor // self.columns
        height = self.scrollable_content_region.height
        if height and not self.scroll_offset.y <= row < self.scroll_offset.y + height:
            self.scroll_to(y=max(row - height + 1, 0), animate=False, force=True, immediate=True)

    @action("grid.choose", "Go there", "enter", footer=5)
    def choose(self) -> None:
        """Go to the item under the cursor."""
        self.post_message(self.Chosen(self.cursor))

    @action("grid.left", "Left", "left")
    def left(self) -> None:
        """The item before."""
        self.put(self.cursor - 1)

    @action("grid.right", "Right", "right")
    def right(self) -> None:
        """The next item."""
        self.put(self.cursor + 1)

    @action("grid.up", "Up", "up")
    def up(self) -> None:
        """The item above."""
        self.put(self.cursor - self.columns if self.cursor >= self.columns else self.cursor)

    @action("grid.down", "Down", "down")
    def down(self) -> None:
        """The item below."""
        self.put(self.cursor + self.columns if self.cursor + self.columns < self.count else self.cursor)

    @action("grid.open", "Next open", "o", footer=20)
    def next_open(self) -> None:
        """The next item that is not answered completely."""
        self._next([number for number in range(self.count) if not self.sitting.attempt.is_complete(number)])

    @action("grid.flagged", "Next flagged", "f", footer=30)
    def next_flagged(self) -> None:
        """The next item with a flag."""
        self._next([number for number in range(self.count) if self.sitting.attempt.responses[number].flagged])

    def _next(self, wanted: list[int]) -> None:
        """The first of some items after the cursor, and then from the top."""
        if wanted:
            self.put(next((one for one in wanted if one > self.cursor), wanted[0]))

"""The exhibit of an item: its lines as they stood on a terminal of 80 columns, framed, to be scrolled. Lines that are
longer than there is room go on in the next row, as on a terminal.

Where an item asks to point at a line, a cursor moves over the lines of the output.
"""

from __future__ import annotations

from typing import ClassVar

from rich.cells import chop_cells
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from exams.rendered import Rendered
from tui.actions import Acts, action
from tui.app import breakfix
from tui.widgets.exam_answered import Answered, GoOn

_GUTTER = 2
_FRAME_ROWS = 2
_LEAST_ROWS = 4


class ExhibitBox(ScrollView, Acts, can_focus=True):
    """The exhibit of `item`. `pointing`: a line can be pointed at; `line` is the one that was (0: none). `right` are
    the lines that it should be, once that may be told.
    """

    DEFAULT_CSS = """
    ExhibitBox { height: auto; background: $surface; overflow: hidden auto; margin: 0 0 1 0;
                 border-top: solid $frame; border-bottom: solid $frame; border-title-color: $foreground;
                 border-subtitle-color: $muted; }
    ExhibitBox.ascii { border-top: ascii $frame; border-bottom: ascii $frame; }
    ExhibitBox:focus { border-top: solid $accent; border-bottom: solid $accent; }
    ExhibitBox.ascii:focus { border-top: ascii $accent; border-bottom: ascii $accent; }
    ExhibitBox > .exhibit--typed { color: $accent; text-style: bold; }
    ExhibitBox > .exhibit--cursor { background: $selection; }
    ExhibitBox:focus > .exhibit--cursor { background: $accent; color: $on-accent; text-style: bold; }
    ExhibitBox > .exhibit--pointed { text-style: bold; background: $selection; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "exhibit--typed", "exhibit--cursor", "exhibit--pointed",
    }  # fmt: skip

    def __init__(self, item: Rendered, *, pointing: bool = False, line: int = 0, right: tuple[int, ...] = ()) -> None:
        super().__init__(id="exhibit")
        self.item, self.pointing, self.line, self.right = item, pointing, line, right
        self._cursor = line or (item.output_lines[0] if item.output_lines else 1)
        self._gutter = _GUTTER if pointing or line or right else 0
        self._rows: list[tuple[int, str]] = []

    def on_mount(self) -> None:
        """Write the frame."""
        self.set_class(self.app.has_class("ascii"), "ascii")
        self.border_title = f"Exhibit ({self.item.language})" if self.item.language else "Exhibit"
        # Where it is scrolled stands in the frame; so all columns are the exhibit's.
        self.styles.scrollbar_size_vertical = 0

    def fit(self, most: int) -> None:
        """Take at most so many rows of the screen."""
        self.styles.max_height = max(most, _LEAST_ROWS + _FRAME_ROWS)
        self.call_after_refresh(self._settle)

    def _settle(self) -> None:
        """Show what matters at the height that there is now."""
        self._reveal()
        self._tell_place()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As high as its lines are at this width."""
        return len(self._wrapped(width))

    def _wrapped(self, width: int) -> list[tuple[int, str]]:
        """The rows at a width, each with the number of its line."""
        room = max(width - self._gutter, 1)
        return [
            (number, part)
            for number, line in enumerate(self.item.exhibit, 1)
            for part in (chop_cells(line, room) or [""])
        ]

    @property
    def overflows(self) -> bool:
        """Whether not all of it can be seen at once."""
        return self.max_scroll_y > 0

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Say which lines are seen."""
        super().watch_scroll_y(old_value, new_value)
        self._tell_place()

    def on_resize(self, event: events.Resize) -> None:
        """Another size: the lines are wrapped anew."""
        width = self.scrollable_content_region.width
        self._rows = self._wrapped(width)
        self.virtual_size = Size(width, len(self._rows))
        self._settle()
        self.call_after_refresh(self._settle)

    def _tell_place(self) -> None:
        height = self.scrollable_content_region.height
        if not self.is_mounted or self.max_scroll_y <= 0 or not height:
            self.border_subtitle = ""
            return
        seen = self._rows[self.scroll_offset.y :][:height]
        self.border_subtitle = f"lines {seen[0][0]} to {seen[-1][0]} of {len(self.item.exhibit)}"

    # Drawing

    def render_line(self, y: int) -> Strip:
        """One row."""
        place, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if place >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        number, text = self._rows[place]
        first = place == 0 or self._rows[place - 1][0] != number
        gutter = (self._mark(number) if first else "").ljust(self._gutter)
        style = self._style(number)
        return Strip([Segment(gutter + text, style)]).adjust_cell_length(width, style)

    def _mark(self, number: int) -> str:
        glyphs = breakfix(self).glyphs
        if number in self.right:
            return glyphs.tick
        if number == self.line:
            return glyphs.cross if self.right else glyphs.chosen
        return glyphs.closed if self.pointing and number == self._cursor else ""

    def _style(self, number: int) -> Style:
        style = self.rich_style
        if self.pointing and number == self._cursor:
            return style + self.get_component_rich_style("exhibit--cursor")
        if number == self.line or number in self.right:
            return style + self.get_component_rich_style("exhibit--pointed")
        if number in self.item.typed:
            return style + self.get_component_rich_style("exhibit--typed", partial=True)
        return style

    # Pointing

    def show_answer(self, data: object) -> None:
        """Show the line that was pointed at."""
        self.line = data if isinstance(data, int) else 0
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """A click points at a line."""
        offset = event.get_content_offset(self)
        if offset is None or not self.pointing:
            return
        place = offset.y + self.scroll_offset.y
        number = self._rows[place][0] if place < len(self._rows) else 0
        if number in self.item.output_lines:
            event.stop()
            self._put(number)
            self.post_message(Answered(number))

    @action("exhibit.point", "This line", "enter", "space", footer=5, when="can_point")
    def point(self) -> None:
        """Point at the line under the cursor."""
        self.post_message(Answered(self._cursor))

    @action("exhibit.go_on", "Go on", "enter", footer=5, when="has_pointed")
    def go_on(self) -> None:
        """The line is the one; go on."""
        self.post_message(GoOn())

    @property
    def can_point(self) -> bool:
        """Whether the cursor stands on a line that is not the answer yet."""
        return self.pointing and self._cursor != self.line

    @property
    def has_pointed(self) -> bool:
        """Whether the cursor stands on the line that is the answer."""
        return self.pointing and self._cursor == self.line

    @action("exhibit.up", "Up", "up")
    def up(self) -> None:
        """The line above."""
        self._move(-1)

    @action("exhibit.down", "Down", "down")
    def down(self) -> None:
        """The line below."""
        self._move(1)

    @action("exhibit.page_up", "Page up", "pageup")
    def page_up(self) -> None:
        """A page back in the exhibit."""
        self._move(-max(self.scrollable_content_region.height - 1, 1))

    @action("exhibit.page_down", "Page down", "pagedown")
    def page_down(self) -> None:
        """A page on in the exhibit."""
        self._move(max(self.scrollable_content_region.height - 1, 1))

    def _move(self, step: int) -> None:
        """Move the cursor over lines of the output; without one, scroll."""
        if not self.pointing:
            self.scroll_relative(y=step, animate=False)
            return
        known = self.item.output_lines
        place = known.index(self._cursor) if self._cursor in known else 0
        self._put(known[min(max(place + step, 0), len(known) - 1)])

    def _put(self, number: int) -> None:
        self._cursor = number
        self._reveal()
        self.refresh()

    def _reveal(self) -> None:
        """Scroll to the line that matters, if one does."""
        wanted = self._cursor if self.pointing else next(iter(self.right), self.line)
        places = [place for place, (number, _) in enumerate(self._rows) if number == wanted]
        if places:
            region = Region(0, places[0], 1, len(places))
            self.scroll_to_region(region, animate=False, force=True, immediate=True)

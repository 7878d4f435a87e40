"""A list to choose from: headings, and entries with a text on the left and one on the right. A cursor moves over the
entries by keys and by mouse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.actions import Acts, action
from tui.app import breakfix


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the list. Without an `id` it is a heading (or, without a text, empty) and can't be chosen. `tone` is
    the theme's name of the colour of what stands on the right.
    """

    text: str
    right: str = ""
    id: str = ""
    tone: str = ""


class PickList(ScrollView, Acts, can_focus=True):
    """The list. It posts Moved when the cursor stands on another entry and Chosen for Enter and a double click."""

    DEFAULT_CSS = """
    PickList { overflow-x: hidden; background: transparent; }
    PickList > .pick--heading { color: $accent; text-style: bold; }
    PickList > .pick--right { color: $muted; }
    PickList > .pick--cursor { background: $selection; color: $foreground; }
    PickList:focus > .pick--cursor { background: $accent; color: $on-accent; text-style: bold; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"pick--heading", "pick--right", "pick--cursor"}

    class Moved(Message):
        """The cursor stands on this entry (None: there is none)."""

        def __init__(self, line: Line | None) -> None:
            super().__init__()
            self.line = line

    class Chosen(Message):
        """This entry was chosen."""

        def __init__(self, line: Line) -> None:
            super().__init__()
            self.line = line

    def __init__(self, lines: Sequence[Line] = (), id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: list[Line] = list(lines)
        self._cursor = self._next(-1, 1)

    @property
    def line(self) -> Line | None:
        """The entry under the cursor."""
        return self.lines[self._cursor] if self._cursor is not None else None

    def show(self, lines: Sequence[Line], at: str | None = None) -> None:
        """Other lines; the cursor goes to the entry `at`, else stays with its entry, else goes to the first one."""
        before = at or (self.line.id if self.line else None)
        self.lines = list(lines)
        places = [place for place, line in enumerate(self.lines) if line.id and line.id == before]
        self._cursor = places[0] if places else self._next(-1, 1)
        self._fit()
        self.refresh()
        self.post_message(self.Moved(self.line))

    def move_to(self, id: str) -> None:
        """Put the cursor on an entry, if it is there."""
        places = [place for place, line in enumerate(self.lines) if line.id == id]
        if places:
            self._put(places[0])

    def move(self, step: int) -> None:
        """Move the cursor by so many entries, as far as there are any."""
        place = self._cursor
        for _ in range(abs(step)):
            after = None if place is None else self._next(place, 1 if step > 0 else -1)
            if after is None:
                break
            place = after
        self._put(place)

    def _next(self, place: int, step: int) -> int | None:
        """The nearest entry after (or before) a place."""
        place += step
        while 0 <= place < len(self.lines):
            if self.lines[place].id:
                return place
            place += step
        return None

    def _put(self, place: int | None) -> None:
        if place is None or place == self._cursor:
            self._reveal()
            return
        self._cursor = place
        self._reveal()
        self.refresh()
        self.post_message(self.Moved(self.line))

    def _reveal(self) -> None:
        """Scroll to the cursor; at the first entry also to the headings above it."""
        if self._cursor is None or not self.size:
            return
        top = 0 if self._cursor == self._next(-1, 1) else self._cursor
        self.scroll_to_region(Region(0, top, 1, self._cursor - top + 1), animate=False, force=True, immediate=True)

    def _fit(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self.lines))
        self._reveal()

    def on_resize(self, event: events.Resize) -> None:
        """Another width or height."""
        self._fit()

    # Drawing

    def render_line(self, y: int) -> Strip:
        """One line."""
        place, width = y + self.scroll_offset.y, self.scrollable_content_region.width
        if place >= len(self.lines):
            return Strip.blank(width, self.rich_style)
        line = self.lines[place]
        style = self.rich_style
        if not line.id:
            return self._drawn(line, width, style + self.get_component_rich_style("pick--heading", partial=True))
        if place == self._cursor:
            return self._drawn(line, width, self.get_component_rich_style("pick--cursor"), on_cursor=True)
        return self._drawn(line, width, style)

    def _drawn(self, line: Line, width: int, style: Style, *, on_cursor: bool = False) -> Strip:
        glyphs = breakfix(self).glyphs
        mark = f"{glyphs.closed} " if on_cursor else "  "
        room = max(width - len(mark) - (cell_len(line.right) + 3 if line.right else 1), 0)
        text = (
            line.text if cell_len(line.text) <= room else set_cell_size(line.text, max(room - 1, 0)) + glyphs.ellipsis
        )
        left = f"{mark if line.id else ' '}{text}"
        gap = max(width - cell_len(left) - cell_len(line.right) - 1, 1)
        right = style if on_cursor else style + self.get_component_rich_style("pick--right", partial=True)
        if line.tone and not on_cursor:
            right = style + Style.parse(self.app.theme_variables.get(line.tone, ""))
        segments = [Segment(left + " " * gap, style), Segment(f"{line.right} ", right)]
        return Strip(segments).adjust_cell_length(width, style)

    # Keys and mouse

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor, a double click chooses."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        place = offset.y + self.scroll_offset.y
        if not (0 <= place < len(self.lines) and self.lines[place].id):
            return
        self._put(place)
        if event.chain >= 2:
            self.choose()

    @action("list.choose", "Choose", "enter", footer=5, when="line")
    def choose(self) -> None:
        """Take the entry under the cursor."""
        if self.line is not None:
            self.post_message(self.Chosen(self.line))

    @action("list.up", "Up", "up", "k")
    def up(self) -> None:
        """The entry above."""
        self.move(-1)

    @action("list.down", "Down", "down", "j")
    def down(self) -> None:
        """The entry below."""
        self.move(1)

    @action("list.page_up", "Page up", "pageup")
    def page_up(self) -> None:
        """A page back."""
        self.move(-max(self.size.height - 2, 1))

    @action("list.page_down", "Page down", "pagedown")
    def page_down(self) -> None:
        """A page on."""
        self.move(max(self.size.height - 2, 1))

    @action("list.first", "First", "home", "g")
    def first(self) -> None:
        """The first entry."""
        self.move(-len(self.lines))

    @action("list.last", "Last", "end", "G")
    def last(self) -> None:
        """The last entry."""
        self.move(len(self.lines))

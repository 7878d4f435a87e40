"""All that can be seen of a terminal by scrolling: the kept lines, below them its last, changing ones, and which part
is in view.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from tui.terminal.rows import index_at, row_starts
from tui.terminal.scrollback import Place, Scrollback
from tui.terminal.sgr import text_of

_NO_LIMIT = 1 << 30


class Spot(NamedTuple):
    """A place in the text: the number of a line, and the index of the character in it (`at`)."""

    number: int
    at: int


class Page:
    """Kept lines and the tail: the open line, a prompt with what is typed, or a question.

    It follows its end, also when that moves, until the reader goes up; then the top row in view stays where it is.
    """

    def __init__(self, limit: int, columns: int = 80, height: int = 24) -> None:
        self.kept = Scrollback(limit, columns)
        self.height = height
        self.following = True
        self._tail = Scrollback(_NO_LIMIT, columns)
        self._top = Spot(0, 0)
        self._cleared = 0

    # What it holds

    def append(self, lines: list[str]) -> None:
        """Complete lines."""
        self.kept.append(lines)

    def clear(self) -> None:
        """What follows begins at the top of an empty screen; what was there can be scrolled back to."""
        self._cleared = self.kept.end
        self.following = True

    def set_tail(self, lines: Sequence[str]) -> None:
        """The last, changing lines."""
        self._tail = Scrollback(_NO_LIMIT, self.kept.columns)
        self._tail.append(lines)

    @property
    def columns(self) -> int:
        """The width at which lines are wrapped."""
        return self.kept.columns

    @property
    def rows(self) -> int:
        """All rows."""
        return self.kept.rows + self._tail.rows

    @property
    def tail_row(self) -> int:
        """The first row of the tail."""
        return self.kept.rows

    @property
    def end(self) -> int:
        """The number after the last line, those of the tail included."""
        return self.kept.end + self._tail.end

    def raw(self, number: int) -> str:
        """A line as it is stored; an empty one for a number that has no line."""
        if number >= self.kept.end:
            tail = number - self.kept.end
            return self._tail.raw(tail) if tail < self._tail.end else ""
        return self.kept.raw(number) if number >= self.kept.first else ""

    def text(self, number: int) -> str:
        """A line's text."""
        return text_of(self.raw(number))

    def place(self, row: int) -> Place:
        """Which line a row shows."""
        if row < self.kept.rows:
            return self.kept.place(row)
        tail = self._tail.place(row - self.kept.rows)
        return Place(self.kept.end + tail.number, tail.part)

    def row_of(self, number: int) -> int:
        """The first row of a line."""
        if number < self.kept.end:
            return self.kept.row_of(number)
        return self.kept.rows + self._tail.row_of(number - self.kept.end)

    def bounds(self, place: Place) -> tuple[int, int]:
        """First and last (exclusive) index of the characters in a row."""
        text = self.text(place.number)
        starts = row_starts(text, self.columns)
        begin = starts[place.part] if place.part < len(starts) else len(text)
        return begin, starts[place.part + 1] if place.part + 1 < len(starts) else len(text)

    def row_of_spot(self, spot: Spot) -> int:
        """The row in which a character stands."""
        starts = row_starts(self.text(spot.number), self.columns)
        return self.row_of(spot.number) + max(bisect_right(starts, spot.at) - 1, 0)

    def spot(self, row: int, column: int) -> Spot:
        """The character at a cell, or the end of the row's text when it is shorter."""
        if row < 0:
            return Spot(self.kept.first, 0)
        if row >= self.rows:
            return Spot(self.end, 0)
        place = self.place(row)
        begin, end = self.bounds(place)
        return Spot(place.number, begin + index_at(self.text(place.number)[begin:end], column))

    # What is in view

    @property
    def top(self) -> int:
        """The first row in view."""
        lowest = self._lowest
        if self.following:
            return lowest
        if self._top.number < self.kept.first:
            return 0
        return min(self.row_of_spot(self._top), lowest)

    @property
    def _lowest(self) -> int:
        """The first row in view when the end is."""
        return max(self.rows - self.height, self.kept.row_of(self._cleared), 0)

    @property
    def lines_below(self) -> int:
        """How many lines stand below what is in view."""
        last = min(self.top + self.height, self.rows) - 1
        return self.end - 1 - self.place(last).number if last >= 0 else 0

    def scroll_to(self, row: int) -> None:
        """Make a row the first in view, as far as there are rows below it."""
        lowest = self._lowest
        row = max(min(row, lowest), 0)
        self.following = row >= lowest
        if not self.following:
            self._top = self.spot(row, 0)

    def scroll_by(self, rows: int) -> None:
        """Move what is in view; down to the end it follows the end again."""
        self.scroll_to(self.top + rows)

    def scroll_to_end(self) -> None:
        """Follow the end."""
        self.following = True

    def show_row(self, row: int) -> None:
        """Scroll as little as needed to have a row in view."""
        if row < self.top:
            self.scroll_to(row)
        elif row >= self.top + self.height:
            self.scroll_to(row - self.height + 1)

    def resize(self, columns: int, height: int) -> None:
        """Another size; the reader's place stays, or the end if that is where they are."""
        self.height = max(height, 1)
        if columns != self.kept.columns:
            self.kept.rewrap(columns)
            self._tail.rewrap(columns)

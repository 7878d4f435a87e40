"""The lines that a terminal keeps, and the rows that they take at its width.

A line has a number that stays the same as long as it is kept: what points at a line (a selection, the reader's place)
survives new output, another width and the loss of the oldest lines.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from tui.terminal.rows import LEAST_COLUMNS, measure, row_count
from tui.terminal.sgr import text_of


class Place(NamedTuple):
    """A row: the number of its line, and which of the line's rows it is."""

    number: int
    part: int


class Scrollback:
    """Stored lines (text with SGR). More than `limit` are dropped, a tenth of them at a time."""

    def __init__(self, limit: int, columns: int) -> None:
        self.limit = limit
        self.columns = max(columns, LEAST_COLUMNS)
        self.first = 0
        self._lines: list[str] = []
        self._measures = array("i")
        # Rows up to the end of each line, counted from a line that may have gone; `_gone` is what came before.
        self._ends = array("q")
        self._gone = 0

    @property
    def end(self) -> int:
        """The number that the next line gets."""
        return self.first + len(self._lines)

    @property
    def rows(self) -> int:
        """The rows of all lines."""
        return self._ends[-1] - self._gone if self._ends else 0

    def raw(self, number: int) -> str:
        """A line as it is stored."""
        return self._lines[number - self.first]

    def append(self, lines: Iterable[str]) -> None:
        """Keep more lines."""
        columns, last = self.columns, self._ends[-1] if self._ends else self._gone
        measures, ends = [], []
        kept = list(lines)
        for raw in kept:
            if raw.isascii() and "\x1b" not in raw:
                measured = len(raw)
                last += -(-measured // columns) or 1
            else:
                text = text_of(raw)
                measured = measure(text)
                last += row_count(text, measured, columns)
            measures.append(measured)
            ends.append(last)
        self._lines += kept
        self._measures.extend(measures)
        self._ends.extend(ends)
        if len(self._lines) > self.limit + self.limit // 10:
            self._drop(len(self._lines) - self.limit)

    def _drop(self, count: int) -> None:
        self._gone = self._ends[count - 1]
        self.first += count
        del self._lines[:count], self._measures[:count], self._ends[:count]

    def rewrap(self, columns: int) -> None:
        """Another width."""
        self.columns = columns = max(columns, LEAST_COLUMNS)
        counts = (
            (-(-measured // columns) or 1) if measured >= 0 else row_count(text_of(raw), measured, columns)
            for measured, raw in zip(self._measures, self._lines, strict=True)
        )
        self._ends = array("q", accumulate(counts))
        self._gone = 0

    def place(self, row: int) -> Place:
        """Which line a row shows; `row` counts from the oldest row that is kept."""
        index = bisect_right(self._ends, row + self._gone)
        return Place(self.first + index, row - self._row_of(index))

    def row_of(self, number: int) -> int:
        """The first row of a line; of one that has gone the oldest row, of one to come the row after the last."""
        return self._row_of(min(max(number - self.first, 0), len(self._lines)))

    def _row_of(self, index: int) -> int:
        return self._ends[index - 1] - self._gone if index else 0

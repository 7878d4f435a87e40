"""The menu of completions below the line: a page of columns, read downwards as `ls` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.terminal.line_buffer import LineBuffer
from tui.terminal.line_layout import RESET, cut
from tui.terminal.line_text import clean, columns_of

_MOST_ROWS = 8
_GAP = 2
_HINT = "Tab, arrows: choose   Enter: take   Esc: leave"
_REVERSE, _DIM = "\x1b[7m", "\x1b[2m"


@dataclass(frozen=True, slots=True)
class MenuCell:
    """Where a candidate stands in the picture: from column `start` up to, not including, `end`."""

    candidate: int
    row: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Page:
    """The candidates shown together: from `first` up to `after`, `down` of them in a column of `width`."""

    first: int
    after: int
    down: int
    width: int


class CompletionMenu:
    """Candidates for the text between `start` and the cursor. The chosen one stands in the line at once."""

    def __init__(self, buffer: LineBuffer, start: int, candidates: Sequence[str]) -> None:
        self.start = start
        self.candidates = candidates
        self.chosen: int | None = None
        self._buffer = buffer
        self._names = _names(candidates)
        self._width = max(columns_of(name) for name in self._names) + _GAP

    def choose(self, candidate: int | None) -> None:
        """Put a candidate into the line; None puts back what was typed."""
        if self.chosen is not None:
            self._buffer.undo()
        self.chosen = candidate
        if candidate is not None:
            put_candidate(self._buffer, self.start, self.candidates[candidate])

    def step(self, by: int) -> None:
        """Choose the next or the previous one, round and round."""
        if self.chosen is None:
            self.choose(0 if by > 0 else len(self.candidates) - 1)
        else:
            self.choose((self.chosen + by) % len(self.candidates))

    def step_aside(self, by: int, columns: int) -> bool:
        """Choose the one in the next column on either side; says whether there is one."""
        page = self._page(columns)
        if self.chosen is None or not page.first <= self.chosen + by * page.down < page.after:
            return False
        self.choose(self.chosen + by * page.down)
        return True

    def rows(self, columns: int, top: int) -> tuple[list[str], list[MenuCell]]:
        """The menu as it is painted from row `top` of the picture on."""
        page = self._page(columns)
        cells = [self._cell(page, candidate, top, columns) for candidate in range(page.first, page.after)]
        rows = [
            "".join(self._painted(cell, page, columns) for cell in cells if cell.row == top + row).rstrip(" ")
            for row in range(page.down)
        ]
        count = f"{page.first + 1}-{page.after} of {len(self.candidates)}"
        return [*rows, f"{_DIM}{cut(f'{count}   {_HINT}', columns)}{RESET}"], cells

    def _page(self, columns: int) -> _Page:
        across = max(1, (columns + _GAP) // self._width)
        size = across * _MOST_ROWS
        first = (self.chosen or 0) // size * size
        after = min(first + size, len(self._names))
        return _Page(first, after, -(-(after - first) // across), self._width)

    def _cell(self, page: _Page, candidate: int, top: int, columns: int) -> MenuCell:
        column, row = divmod(candidate - page.first, page.down)
        start = column * page.width
        width = columns_of(cut(self._names[candidate], columns))
        return MenuCell(candidate, top + row, start, start + width)

    def _painted(self, cell: MenuCell, page: _Page, columns: int) -> str:
        name = cut(self._names[cell.candidate], columns)
        gap = " " * min(page.width - columns_of(name), columns - cell.end)
        return f"{_REVERSE}{name}{RESET}{gap}" if cell.candidate == self.chosen else name + gap


def put_candidate(buffer: LineBuffer, start: int, candidate: str) -> None:
    """Put a candidate in the place of what stands before the cursor; a blank or slash that follows is not doubled."""
    follows = buffer.text[buffer.cursor : buffer.cursor + 1]
    doubled = follows in (" ", "/") and candidate.endswith(follows)
    buffer.replace(start, buffer.cursor + doubled, candidate)


def _names(candidates: Sequence[str]) -> list[str]:
    """Candidates as they are listed: without the blank that ends a word, and paths without the folder they share."""
    names = [clean(candidate).replace("\n", " ").rstrip(" ") for candidate in candidates]
    folders = {name.rstrip("/").rpartition("/")[0] for name in names}
    shared = len(folders.pop()) + 1 if len(folders) == 1 and all("/" in name.rstrip("/") for name in names) else 0
    return [name[shared:] or " " for name in names]

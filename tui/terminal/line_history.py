"""Going through the history: each line there can be edited, and the line being typed comes last and is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from tui.terminal.line_buffer import LineBuffer
from tui.terminal.line_text import clean


class LineHistory:
    """The lines of the past and, after them, the one being typed. What is edited here changes nothing in the past."""

    def __init__(self, past: Callable[[], Sequence[str]], typed: LineBuffer) -> None:
        self._past = past
        self._typed = typed
        self._edited: dict[int, LineBuffer] = {}
        self._position: int | None = None

    @cached_property
    def _lines(self) -> tuple[str, ...]:
        return tuple(self._past())

    @property
    def position(self) -> int:
        """The index of the line at hand."""
        return len(self._lines) if self._position is None else self._position

    @property
    def last(self) -> int:
        """The index of the line being typed."""
        return len(self._lines)

    @property
    def current(self) -> LineBuffer:
        """The line at hand."""
        return self._typed if self._position is None else self._buffer(self._position)

    def line(self, index: int) -> str:
        """A line as it stands now, with its edits."""
        if index == self.last:
            return self._typed.text
        return self._edited[index].text if index in self._edited else clean(self._lines[index])

    def go(self, index: int) -> bool:
        """Take up the line `index`, the cursor at its end; says whether it is another one."""
        if index == self.position or not 0 <= index <= self.last:
            return False
        self._position = None if index == self.last else index
        self.current.cursor = len(self.current.text)
        return True

    def back_from_here(self, count: int) -> str | None:
        """The line so many before the one at hand."""
        index = self.position - count
        return self.line(index) if index >= 0 else None

    def _buffer(self, index: int) -> LineBuffer:
        if index not in self._edited:
            self._edited[index] = LineBuffer(self._lines[index])
        return self._edited[index]

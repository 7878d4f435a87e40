"""Incremental search in the history, as Ctrl-R and Ctrl-S do it."""

from __future__ import annotations

from tui.terminal.line_history import LineHistory
from tui.terminal.line_text import clean, word_end


class LineSearch:
    """A search that begins at the line at hand. `index` and `at` say where the text was last found."""

    def __init__(self, history: LineHistory, *, backward: bool, previous: str) -> None:
        self._history = history
        self._previous = previous
        self.backward = backward
        self.sought = ""
        self.failed = False
        self.index = history.position
        self.at = history.current.cursor
        self._read: str | None = None

    @property
    def prompt(self) -> str:
        """What stands before the line meanwhile."""
        failed, direction = "failed " if self.failed else "", "reverse-" if self.backward else ""
        sought = self.sought.replace("\n", " ")
        return f"({failed}{direction}i-search)`{sought}': "

    @property
    def line(self) -> str:
        """The line that was last found."""
        return self._history.line(self.index)

    @property
    def found(self) -> tuple[int, int]:
        """Where in that line the sought text stands."""
        return (self.at, self.at) if self.failed else (self.at, self.at + len(self.sought))

    def add(self, text: str) -> bool:
        """More to seek. Each change says whether the text is found."""
        self.sought += clean(text)
        return self._seek(self.at)

    def shorten(self) -> bool:
        """Less to seek."""
        shorter = bool(self.sought)
        self.sought = self.sought[:-1]
        return shorter and self._seek(self.at)

    def add_rest_of_word(self) -> bool:
        """Seek what stands after the found text, to the end of the word."""
        after = self.found[1]
        return after < len(self.line) and self.add(self.line[after : word_end(self.line, after)])

    def add_rest_of_line(self) -> bool:
        """Seek what stands after the found text, to the end of the line."""
        return self.found[1] < len(self.line) and self.add(self.line[self.found[1] :])

    def again(self, *, backward: bool) -> bool:
        """The next place, or the other direction."""
        if not self.sought:
            self.backward = backward
            return bool(self._previous) and self.add(self._previous)
        step = 0 if backward != self.backward else -1 if backward else 1
        self.backward = backward
        return self._seek(self.at + step)

    def _seek(self, at: int) -> bool:
        """From `at` in the line that was last found on; lines that read the same as a found one are passed over."""
        place = self._place(self.line, at) if self.sought else -1
        index = self.index
        while self.sought and place < 0:
            index += -1 if self.backward else 1
            if not 0 <= index <= self._history.last:
                break
            line = self._history.line(index)
            if line != self._read:
                place = self._place(line, len(line) if self.backward else 0)
        self.failed = place < 0
        if not self.failed:
            self.index, self.at, self._read = index, place, self._history.line(index)
        return not self.failed

    def _place(self, line: str, at: int) -> int:
        if not self.backward:
            return line.find(self.sought, at)
        return line.rfind(self.sought, 0, at + len(self.sought)) if at >= 0 else -1

"""One line on which a program moves back and writes again: carriage returns, backspaces, tabs, erasing."""

from __future__ import annotations

from itertools import groupby

from rich.cells import get_character_cell_size

from tui.terminal.rows import is_narrow
from tui.terminal.sgr import PLAIN, Look, read

_TAB = 8


class CellLine:
    """Cells with their looks, and the column that is written next. The second cell of a wide character is empty.

    What would stand beyond `limit` is not kept; `cut` tells that there was something.
    """

    def __init__(self, limit: int, raw: str = "") -> None:
        self.limit = limit
        self.column = 0
        self.cut = False
        self._cells: list[str] = []
        self._looks: list[Look] = []
        for text, look in read(raw).runs:
            self.write(text, look)

    def write(self, text: str, look: Look) -> None:
        """Write printable text."""
        if self.column >= self.limit:
            self.cut = self.cut or bool(text)
        elif self.column == len(self._cells) and is_narrow(text):
            kept = text[: self.limit - self.column]
            self.cut = self.cut or len(kept) < len(text)
            self._cells.extend(kept)
            self._looks.extend([look] * len(kept))
            self.column += len(kept)
        else:
            for character in text:
                self._put(character, look)

    def _put(self, character: str, look: Look) -> None:
        width = get_character_cell_size(character)
        if width == 0:
            self._combine(character)
        elif self.column + width > self.limit:
            self.cut, self.column = True, self.limit
        else:
            self._make_room(width)
            self._cells[self.column] = character
            self._cells[self.column + 1 : self.column + width] = [""] * (width - 1)
            self._looks[self.column : self.column + width] = [look] * width
            self.column += width

    def _combine(self, character: str) -> None:
        """A combining character joins the one before it."""
        before = min(self.column, len(self._cells)) - 1
        while before > 0 and not self._cells[before]:
            before -= 1
        if before >= 0:
            self._cells[before] += character

    def _make_room(self, width: int) -> None:
        """Free the next cells; a wide character that loses one of its two cells leaves a blank in the other."""
        end = self.column + width
        missing = end - len(self._cells)
        if missing > 0:
            self._cells += [" "] * missing
            self._looks += [PLAIN] * missing
        if not self._cells[self.column] and self.column:
            self._cells[self.column - 1] = " "
        if end < len(self._cells) and not self._cells[end]:
            self._cells[end] = " "

    def carriage_return(self) -> None:
        """Go back to the first column."""
        self.column = 0

    def backspace(self) -> None:
        """Go one column back."""
        self.column = max(self.column - 1, 0)

    def tab(self) -> None:
        """Go to the next multiple of eight."""
        target = min((self.column // _TAB + 1) * _TAB, self.limit)
        missing = target - len(self._cells)
        if missing > 0:
            self._cells += [" "] * missing
            self._looks += [PLAIN] * missing
        self.column = target

    def erase(self, how: str) -> None:
        """CSI K: from the column to the end, with `1` up to it, with `2` everything."""
        if how == "2":
            self._cells.clear()
            self._looks.clear()
        elif how == "1":
            end = min(self.column + 1, len(self._cells))
            if end < len(self._cells) and not self._cells[end]:
                end += 1
            self._cells[:end] = [" "] * end
            self._looks[:end] = [PLAIN] * end
        elif how in ("", "0"):
            if self.column < len(self._cells) and not self._cells[self.column] and self.column:
                self._cells[self.column - 1] = " "
            del self._cells[self.column :], self._looks[self.column :]

    @property
    def raw(self) -> str:
        """The line as it is stored."""
        pieces: list[str] = []
        index = 0
        for look, group in groupby(self._looks):
            length = sum(1 for _ in group)
            text = "".join(self._cells[index : index + length])
            pieces.append(text if not pieces and look == PLAIN else look.sgr + text)
            index += length
        return "".join(pieces)

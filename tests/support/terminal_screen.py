"""The screen of a terminal, as far as a full-screen program needs one: where it moves its cursor and what it writes
there. Colours are passed over.
"""

from __future__ import annotations

import re

from rich.cells import cell_len

_SEQUENCE = re.compile(
    r"\x1b\[(?P<numbers>[0-9;:?<=>]*)[ -/]*(?P<final>[@-~])"  # CSI
    r"|\x1b[\]P_^][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC, DCS and their like
    r"|\x1b(?![\[\]P_^])[ -/]*[0-~]"
    r"|(?P<text>[^\x00-\x1f\x7f]+)"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f])"
)


class TerminalScreen:
    """`feed` it what the program writes; `lines` are what a person sees."""

    def __init__(self, columns: int, rows: int) -> None:
        self.row = self.column = 0
        self._rest = ""
        self._cells: list[list[str]] = []
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """Another size; the screen is empty until the program paints it."""
        self.columns, self.rows = columns, rows
        self._cells = [[" "] * columns for _ in range(rows)]
        self.row, self.column = min(self.row, rows - 1), min(self.column, columns - 1)

    @property
    def lines(self) -> list[str]:
        """Row by row, without trailing blanks."""
        return ["".join(row).rstrip() for row in self._cells]

    @property
    def text(self) -> str:
        """All rows as one text."""
        return "\n".join(self.lines)

    def feed(self, text: str) -> None:
        """The program has written this; a sequence may be cut anywhere."""
        text, position = self._rest + text, 0
        while (found := _SEQUENCE.match(text, position)) is not None:
            position = found.end()
            if found["text"]:
                self._write(found["text"])
            elif found["final"]:
                self._control_sequence(found["final"], found["numbers"])
            elif found["control"]:
                self._control(found["control"])
        self._rest = text[position:]

    def _write(self, text: str) -> None:
        for character in text:
            width = cell_len(character)
            if self.column + width > self.columns:
                self.row, self.column = min(self.row + 1, self.rows - 1), 0
            if width:
                self._cells[self.row][self.column : self.column + width] = [character, *[""] * (width - 1)]
                self.column += width

    def _control(self, character: str) -> None:
        if character == "\r":
            self.column = 0
        elif character == "\n":
            self.row = min(self.row + 1, self.rows - 1)
        elif character == "\b":
            self.column = max(self.column - 1, 0)

    def _control_sequence(self, final: str, numbers: str) -> None:
        if numbers[:1] in "?<=>" and numbers:
            return
        values = [int(number) if number.isdigit() else 0 for number in numbers.split(";")]
        if final in "Hf":
            row, column = (*values, 0, 0)[:2]
            self.row = min(max(row - 1, 0), self.rows - 1)
            self.column = min(max(column - 1, 0), self.columns - 1)
        elif final == "J" and values[0] == 2:
            self.resize(self.columns, self.rows)
        elif final == "K" and values[0] == 0:
            self._cells[self.row][self.column :] = [" "] * (self.columns - self.column)

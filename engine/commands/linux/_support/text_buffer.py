"""A text that is being edited: lines, a cursor, what was cut, and undoing. What vi and nano have in common."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.hostfs.tree import FileError

_REVERSE, _NORMAL = "\x1b[7m", "\x1b[27m"
_KEPT = 200
"""How many steps can be undone."""

Snapshot = tuple[tuple[str, ...], int, int, bool]


@dataclass
class Buffer:
    """Lines (at least one) and a place in them: `row` and `column` from 0. `name` is the file, "" for none.

    `vacant` says that the one empty line stands for a text without any lines, as vi knows it; `open_end` that an empty
    last line is only the place behind the text, as nano has it.
    """

    name: str = ""
    lines: list[str] = field(default_factory=lambda: [""])
    row: int = 0
    column: int = 0
    new: bool = False
    vacant: bool = False
    open_end: bool = False
    _changed: bool = False
    _undone: list[Snapshot] = field(default_factory=list)
    _redone: list[Snapshot] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether there is something to write. A text that is changed has a line, if an empty one."""
        return self._changed

    @changed.setter
    def changed(self, changed: bool) -> None:
        self._changed = changed
        self.vacant = self.vacant and not changed

    @property
    def line(self) -> str:
        return self.lines[self.row]

    @line.setter
    def line(self, text: str) -> None:
        self.lines[self.row] = text
        self.changed = True

    @property
    def size(self) -> int:
        """Bytes of the file as it would be written."""
        return len(self.data())

    def data(self) -> bytes:
        """The file as it would be written: every line ends."""
        if self.lines == [""] and (self.vacant or self.open_end):
            return b""
        if self.open_end and self.lines[-1] == "":
            return "\n".join(self.lines).encode("utf-8", "surrogateescape")
        return ("\n".join(self.lines) + "\n").encode("utf-8", "surrogateescape")

    def remember(self) -> None:
        """Before a change: what `undo` goes back to."""
        self._undone = [*self._undone[-_KEPT:], self._snapshot()]
        self._redone.clear()

    def undo(self) -> bool:
        """Go back one step. False if there is none."""
        return self._go(self._undone, self._redone)

    def redo(self) -> bool:
        """Take back an undo. False if there is none."""
        return self._go(self._redone, self._undone)

    def _go(self, source: list[Snapshot], other: list[Snapshot]) -> bool:
        if not source:
            return False
        other.append(self._snapshot())
        lines, self.row, self.column, vacant = source.pop()
        self.lines, self.changed = list(lines), True
        self.vacant = vacant
        return True

    def _snapshot(self) -> Snapshot:
        return tuple(self.lines), self.row, self.column, self.vacant

    def move(self, rows: int, columns: int, past_end: bool = True) -> None:
        """Move the cursor; it stays within the text, after the last character only if `past_end`."""
        self.row = max(0, min(self.row + rows, len(self.lines) - 1))
        self.column = max(0, min(self.column + columns, self.last(past_end)))

    def last(self, past_end: bool = True) -> int:
        """The last place of the current line."""
        return len(self.line) if past_end else max(0, len(self.line) - 1)

    def insert(self, text: str) -> None:
        """Put `text` (without newlines) before the cursor."""
        self.line = self.line[: self.column] + text + self.line[self.column :]
        self.column += len(text)

    def break_line(self) -> None:
        """Cut the line at the cursor."""
        text = self.line
        self.lines[self.row : self.row + 1] = [text[: self.column], text[self.column :]]
        self.row, self.column, self.changed = self.row + 1, 0, True

    def delete_before(self) -> None:
        """Backspace."""
        if self.column:
            self.line = self.line[: self.column - 1] + self.line[self.column :]
            self.column -= 1
        elif self.row:
            self.column = len(self.lines[self.row - 1])
            self.lines[self.row - 1 : self.row + 1] = [self.lines[self.row - 1] + self.line]
            self.row, self.changed = self.row - 1, True

    def delete_lines(self, first: int, last: int) -> list[str]:
        """Take out lines `first` to `last`. Gives them."""
        gone = self.lines[first : last + 1]
        self.lines[first : last + 1] = []
        self.changed, self.vacant = True, not self.lines
        self.lines = self.lines or [""]
        self.row = min(first, len(self.lines) - 1)
        self.column = min(self.column, self.last())
        return gone


def load(ctx: Context, name: str) -> Buffer:
    """The file `name`, or an empty text where there is none. Raises FileError."""
    if not name or not paths.tree(ctx).exists(paths.absolute(ctx, name)):
        return Buffer(name, new=bool(name), vacant=True)
    text = paths.read(ctx, name).decode("utf-8", "surrogateescape")
    return Buffer(name, text.removesuffix("\n").split("\n"), vacant=not text)


def save(ctx: Context, buffer: Buffer, name: str) -> str | None:
    """Write the text to `name`. Gives the reason why that failed, or None."""
    try:
        paths.tree(ctx).write(paths.absolute(ctx, name), buffer.data())
    except FileError as error:
        return error.text
    buffer.changed, buffer.new = False, False
    return None


def shown_rows(buffer: Buffer, row: int, columns: int, cursor: bool, prefix: str = "") -> list[str]:
    """A line of the text as rows of a screen, with the cursor in reverse video."""
    text = "".join(
        character if character.isprintable() or character == "\t" else "?" for character in buffer.lines[row]
    )
    place = len(prefix) + len(text[: buffer.column].expandtabs(8)) if cursor and row == buffer.row else None
    full = prefix + text.expandtabs(8)
    width = max(1, columns)
    if place is not None and place >= len(full):
        full += " " * (place - len(full) + 1)
    rows = [full[start : start + width] for start in range(0, len(full), width)] or [""]
    if place is not None:
        number, column = divmod(place, width)
        rows[number] = f"{rows[number][:column]}{_REVERSE}{rows[number][column]}{_NORMAL}{rows[number][column + 1 :]}"
    return rows

"""A prompt and a line laid out in rows of a given width."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tui.terminal.line_colours import Coloured
from tui.terminal.line_text import clean, clusters, columns_of

RESET = "\x1b[0m"
MARK = "\x1b[7m"
_PIECE = re.compile(
    r"(?P<sgr>\x1b\[[0-9;:]*m)"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # a window's title and the like
    r"|\x1b\[[0-?]*[ -/]*[@-~]?"
    r"|\x1b[^\x1b]?"
    r"|(?P<text>[^\x1b]+)"
)


def row_spans(text: str, columns: int, first: int = 0) -> list[tuple[int, int]]:
    """The start and end of each row of a text whose first row begins at column `first`.

    After a full row there is always another one, so that every place in the text has a cell for the cursor.
    """
    spans = []
    at = 0
    for line in text.split("\n"):
        of_line = _ascii_spans(line, columns, first) if line.isascii() else _wide_spans(line, columns, first)
        spans += [(at + start, at + end) for start, end in of_line]
        at += len(line) + 1
        first = 0
    return spans


def _ascii_spans(line: str, columns: int, first: int) -> Iterator[tuple[int, int]]:
    starts = [0, *range(columns - first, len(line) + 1, columns)]
    return zip(starts, [*starts[1:], len(line)], strict=True)


def _wide_spans(line: str, columns: int, first: int) -> Iterator[tuple[int, int]]:
    row, column = 0, first
    for start, _end, width in clusters(line):
        if column + width > columns:
            yield row, start
            row, column = start, 0
        column += width
    yield row, len(line)
    if column >= columns:
        yield len(line), len(line)


def cut(text: str, columns: int) -> str:
    """As much of a text as has room in one row."""
    return text[slice(*row_spans(text, columns)[0])]


@dataclass(frozen=True, slots=True)
class PromptRows:
    """A prompt laid out: whole rows, and the row on which the line begins at `column`. `style`: colours left on."""

    above: tuple[str, ...] = ()
    last: str = ""
    column: int = 0
    style: str = ""


def prompt_rows(prompt: str, columns: int) -> PromptRows:
    """Lay a prompt out. Colours go on in the next row; other escape sequences and control characters are left out."""
    *upper, lowest = prompt.split("\n")
    above: tuple[str, ...] = ()
    style = ""
    for line in upper:
        rows = _line_rows(line, columns, style)
        style = rows.style
        filled = rows.above and rows.column == 0  # the row that would come next has nothing in it
        above += rows.above if filled else (*rows.above, rows.last + _closed(style))
    rows = _line_rows(lowest, columns, style)
    return PromptRows(above + rows.above, rows.last, rows.column, rows.style)


def _line_rows(line: str, columns: int, style: str) -> PromptRows:
    rows = PromptRows(last=style, style=style)
    for piece in _PIECE.finditer(line):
        rows = _with_sgr(rows, piece["sgr"]) if piece["sgr"] else _with_text(rows, piece["text"] or "", columns)
    return rows


def _closed(style: str) -> str:
    return RESET if style else ""


def _with_sgr(rows: PromptRows, sgr: str) -> PromptRows:
    codes = sgr[len("\x1b[") : -1].split(";")
    if codes[0].strip("0"):
        style = rows.style + sgr
    else:  # it begins with a reset
        style = sgr if any(code.strip("0") for code in codes) else ""
    return PromptRows(rows.above, rows.last + sgr, rows.column, style)


def _with_text(rows: PromptRows, text: str, columns: int) -> PromptRows:
    text = clean(text)
    spans = row_spans(text, columns, rows.column)
    pieces = [text[start:end] for start, end in spans]
    if len(pieces) == 1:
        return PromptRows(rows.above, rows.last + text, rows.column + columns_of(text), rows.style)
    closed = _closed(rows.style)
    full = [rows.last + pieces[0] + closed, *(rows.style + piece + closed for piece in pieces[1:-1])]
    return PromptRows((*rows.above, *full), rows.style + pieces[-1], columns_of(pieces[-1]), rows.style)


class LineLayout:
    """A line after its prompt, in rows of a width."""

    def __init__(self, prompt: PromptRows, text: str, columns: int) -> None:
        self._prompt = prompt
        self._text = text
        self._columns = columns
        self._spans = row_spans(text, columns, prompt.column)

    def rows(self, parts: Sequence[Coloured] = ()) -> list[str]:
        """Prompt and text, with parts of the text (in their order) shown differently."""
        style, closed = self._prompt.style, _closed(self._prompt.style)
        pieces = [self._piece(start, end, parts) + closed for start, end in self._spans]
        return [*self._prompt.above, self._prompt.last + pieces[0], *(style + piece for piece in pieces[1:])]

    def cell(self, index: int) -> tuple[int, int]:
        """The row and column at which an index of the text is shown."""
        row = bisect_right(self._spans, index, key=lambda span: span[0]) - 1
        column = self._first(row) + columns_of(self._text[self._spans[row][0] : index])
        return len(self._prompt.above) + row, min(column, self._columns - 1)

    def index(self, row: int, column: int) -> int:
        """The index of the text that is shown at, or nearest to, a row and column."""
        row = min(row - len(self._prompt.above), len(self._spans) - 1)
        if row < 0:
            return 0
        start, end = self._spans[row]
        right = self._first(row)
        for begin, _end, width in clusters(self._text[start:end]):
            right += width
            if column < right:
                return start + begin
        return end

    def _first(self, row: int) -> int:
        return self._prompt.column if row == 0 else 0

    def _piece(self, start: int, end: int, parts: Sequence[Coloured]) -> str:
        """A row's text with the SGR sequences of the parts in it; after each the prompt's own style goes on."""
        pieces, at = [], start
        for part in parts:
            left, right = max(start, part.start), min(end, part.end)
            if left < right:
                after = RESET + self._prompt.style
                pieces.append(f"{self._text[at:left]}{part.sgr}{self._text[left:right]}{after}")
                at = right
        return "".join([*pieces, self._text[at:end]])

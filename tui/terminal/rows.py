"""How a line's text falls into rows of a width: wide characters are not cut in two, combining ones stay with their
base.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len, get_character_cell_size

LEAST_COLUMNS = 2
"""A wide character needs two; callers wrap at no less."""

_RANGES = ((0x20, 0x7E), (0xA0, 0xAC), (0xAE, 0x2FF), (0x370, 0x482), (0x2500, 0x25FC), (0x2800, 0x28FF))
_NARROW = frozenset(chr(code) for first, last in _RANGES for code in range(first, last + 1))


def is_narrow(text: str) -> bool:
    """Whether each character is known to take one cell, so that its index is its column."""
    return text.isascii() or _NARROW.issuperset(text)


def cells(text: str) -> int:
    """Cells that a text takes."""
    return len(text) if text.isascii() else cell_len(text)


def measure(text: str) -> int:
    """The cells of a text; negative if it has wide characters, so that its rows have to be counted one by one."""
    if is_narrow(text):
        return len(text)
    widths = [get_character_cell_size(character) for character in text]
    return -sum(widths) if 2 in widths else sum(widths)


def row_count(text: str, measured: int, columns: int) -> int:
    """How many rows a text of that measure takes."""
    return max(-(-measured // columns), 1) if measured >= 0 else len(row_starts(text, columns))


def row_starts(text: str, columns: int) -> Sequence[int]:
    """The index at which each row begins; an empty text has one row."""
    if is_narrow(text):
        return range(0, max(len(text), 1), columns)
    return _starts(text, columns)


@lru_cache(maxsize=512)
def _starts(text: str, columns: int) -> Sequence[int]:
    starts, used = [0], 0
    for index, character in enumerate(text):
        width = get_character_cell_size(character)
        if used + width > columns:
            starts.append(index)
            used = 0
        used += width
    return starts


def index_at(text: str, column: int) -> int:
    """The index of the character that stands at a column, or the text's length when it is shorter."""
    if is_narrow(text):
        return min(column, len(text))
    used = 0
    for index, character in enumerate(text):
        used += get_character_cell_size(character)
        if used > column:
            return index
    return len(text)

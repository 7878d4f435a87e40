"""Text on a command line: what may stand in it, what counts as one character, and where words begin and end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import takewhile

from rich.cells import split_graphemes

Place = Callable[[str, int], int]
"""From a text and an index in it to another index."""

_UNWANTED = {"Cc", "Cs", "Zl", "Zp"}  # control characters, halves of surrogate pairs, other line ends
_LINE_ENDS = re.compile(r"\r\n?")
_TAB_STOPS = 8
_TOKEN = re.compile(
    r"""(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|`[^`]*`|\$\([^)]*\)|[^\s;&|<>()'"`\\])+|[;&|<>()]+|\S""", re.DOTALL
)


def clean(text: str) -> str:
    """Text as it may stand in a line: tabs as spaces, line ends as newlines, no other control characters."""
    if text.isprintable():
        return text
    spaced = _LINE_ENDS.sub("\n", text).expandtabs(_TAB_STOPS)
    return "".join(one for one in spaced if one == "\n" or unicodedata.category(one) not in _UNWANTED)


def clusters(text: str) -> list[tuple[int, int, int]]:
    """What a text shows as one character each: start, end, columns."""
    return split_graphemes(text)[0]


def columns_of(text: str) -> int:
    """How many columns a text without newlines takes."""
    return len(text) if text.isascii() else split_graphemes(text)[1]


def previous(text: str, at: int) -> int:
    """Where the character before `at` begins."""
    if at <= 0 or text[:at].isascii():
        return max(at - 1, 0)
    line = text.rfind("\n", 0, at - 1) + 1
    return line + clusters(text[line:at])[-1][0]


def following(text: str, at: int) -> int:
    """Where the character at `at` ends."""
    if at >= len(text) or text[at : at + 2].isascii():
        return min(at + 1, len(text))
    return at + clusters(text[at:].partition("\n")[0] or "\n")[0][1]


def start(_text: str, _at: int) -> int:
    """Where a text begins."""
    return 0


def end(text: str, _at: int) -> int:
    """Where a text ends."""
    return len(text)


def word_start(text: str, at: int) -> int:
    """Where the word before `at` begins; words are letters and digits."""
    return _back(text, _back(text, at, lambda one: not one.isalnum()), str.isalnum)


def word_end(text: str, at: int) -> int:
    """Where the word after `at` ends."""
    return _on(text, _on(text, at, lambda one: not one.isalnum()), str.isalnum)


def blank_word_start(text: str, at: int) -> int:
    """Where the word before `at` begins; words are what stands between blanks."""
    return _back(text, _back(text, at, _is_blank), lambda one: not _is_blank(one))


def last_argument(line: str) -> str:
    """The last word of a command line as the shell splits it, with its quotes."""
    words: list[str] = _TOKEN.findall(line)
    return words[-1] if words else ""


def _is_blank(one: str) -> bool:
    return one in " \t"


def _back(text: str, at: int, belongs: Callable[[str], bool]) -> int:
    return at - sum(1 for _ in takewhile(belongs, reversed(text[:at])))


def _on(text: str, at: int, belongs: Callable[[str], bool]) -> int:
    return at + sum(1 for _ in takewhile(belongs, text[at:]))

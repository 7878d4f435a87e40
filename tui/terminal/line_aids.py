"""What helps at a prompt beside what bash does: the rest of an earlier line that begins like this one, and colours."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui.terminal.line_colours import Coloured, coloured

_WORD = re.compile(r"\W*\w+")
_LEAST = 2
"""Characters from which on an earlier line is suggested."""


@dataclass(frozen=True)
class LineAids:
    """`knows` says whether a command of a name is there; each aid can be switched off."""

    knows: Callable[[str], bool]
    suggests: bool = True
    colours: bool = True

    def rest(self, text: str, past: Sequence[str]) -> str:
        """What the newest earlier line that begins with a text goes on with; empty if none does."""
        if not self.suggests or len(text) < _LEAST or "\n" in text:
            return ""
        found = (line for line in reversed(past) if line.startswith(text) and line != text and "\n" not in line)
        return next(found, "")[len(text) :]

    def parts(self, text: str, cursor: int) -> list[Coloured]:
        """The parts of a line that have a colour."""
        return coloured(text, self.knows, cursor) if self.colours else []


def first_word(text: str) -> str:
    """The first word of what is suggested, with what stands before it."""
    match = _WORD.match(text)
    return match[0] if match else text

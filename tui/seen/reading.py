"""What a recognizer is given: a command, the host it ran on, and the text of it that was on the screen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.site import Site

_LONGEST_VALUE = 120


class Shape(IntEnum):
    """How much of a command's output is there, and in which order: each says more than the one before."""

    LOOSE = 0
    """Some of its lines, in any order, perhaps with others between them."""
    PICKED = 1
    """Lines that were chosen, in their order."""
    PIECE = 2
    """A stretch of it, or all of it among other output."""
    WHOLE = 3
    """All of it and nothing else."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The output `text` of the command `words` on `host`, seen at `at`; `source` is the line that was typed."""

    site: Site
    host: str
    words: tuple[str, ...]
    text: str
    shape: Shape
    at: int
    source: str
    only: bool = True
    """Whether nothing in the text is of another run of that command."""

    @property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.text.splitlines()

    @property
    def whole(self) -> bool:
        """Whether nothing of the output is missing, so that what is not in it says something too."""
        return self.shape is Shape.WHOLE

    def has_option(self, *names: str) -> bool:
        """Whether one of the options was given, as `-i 3`, `-i3` or `--id=3`."""
        return any(
            word == name or word.startswith(f"{name}=") or (len(name) == len("-i") and word.startswith(name))
            for word in self.words[1:]
            for name in names
        )

    def saw(
        self, component: str, aspect: str, value: str, state: State = State.UNKNOWN, *, logged: bool = False
    ) -> Sighting:
        """A sighting of this reading."""
        return Sighting(component, aspect, plain(value), state, self.at, self.source, logged)


def plain(value: str) -> str:
    """A value on one line, short enough to show."""
    text = "".join(character if character.isprintable() else " " for character in value)
    return " ".join(text.split())[:_LONGEST_VALUE]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of a report that belong to the thing named in the line above them."""

    name: str
    lines: list[str]


def blocks(reading: Reading, head: re.Pattern[str], expected: int) -> Iterator[Block]:
    """The text cut at lines that match `head`, whose first group names the thing.

    Where lines were picked from the output, one thing's lines might stand under the name of another; so all `expected`
    names must be there.
    """
    if reading.shape is Shape.LOOSE:
        return
    found: list[Block] = []
    for line in reading.lines:
        match = head.match(line)
        if match:
            found.append(Block(match[1], []))
        elif found:
            found[-1].lines.append(line)
    if reading.shape is Shape.PICKED and len({block.name for block in found}) < expected:
        return
    yield from found

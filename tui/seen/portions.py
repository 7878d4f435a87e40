"""Whose is which portion of what a line of several commands printed: cut where a command's output begins as no other's.

A recognizer may have `head(words)`, the pattern of the line with which the output of these words begins, or None. Where
each such line can be told to be a certain command's, the text is cut there. Where it can't, every command gets it all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tui.seen.reading import Shape
from tui.seen.shell_words import Words
from tui.seen.typed import Run

Head = re.Pattern[str]
_BEFORE_HEADS = re.compile(
    r"$|\+-+\+$|Unable to determine the device handle for |\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4} *$"
)
"""Lines that commands print above the one that tells which command it is."""


@dataclass(frozen=True, slots=True)
class Portion:
    """The text in which a run's output is, and how much of it. `only`: no other run of that command has some there."""

    run: Run
    text: str
    shape: Shape
    only: bool = True


def echoed(words: Words) -> Head | None:
    """The line that `echo` prints."""
    plain = words[0] == "echo" and len(words) > 1 and re.fullmatch("-[neE]+", words[1]) is None
    return re.compile(f"{re.escape(' '.join(words[1:]))}$") if plain else None


def portions(runs: Sequence[Run], heads: Sequence[Head | None], text: str) -> list[Portion]:
    """The portion of each run, of whose output the first line matches its head."""
    if len(runs) == 1:
        return [Portion(runs[0], text, runs[0].shape)]
    lines = text.splitlines()
    starts = _starts(heads, lines)
    return [_portion(runs, number, starts, lines) for number in range(len(runs))]


def _portion(runs: Sequence[Run], number: int, starts: dict[int, int], lines: list[str]) -> Portion:
    """From the last beginning up to here to the next one; just the run's own where both are next to it."""
    run, end = runs[number], len(runs)
    first = max((one for one in starts if one <= number), default=0)
    after = min((one for one in starts if one > number), default=end)
    text = "\n".join(lines[starts.get(first, 0) : starts.get(after, len(lines))])
    if starts and first == number and after == number + 1:
        return Portion(run, text, run.shape)
    alone = sum(other.words[0] == run.words[0] for other in runs) == 1
    return Portion(run, text, min(run.shape, Shape.PIECE), alone)


def _starts(heads: Sequence[Head | None], lines: list[str]) -> dict[int, int]:
    """The line where each run begins, of those that can be told. Nothing if one line's run is in doubt."""
    found: dict[int, int] = {}
    for head in {head for head in heads if head is not None}:
        numbers = [number for number, line in enumerate(lines) if head.match(line)]
        owners = [owner for owner, its in enumerate(heads) if its == head]
        if numbers and len(numbers) != len(owners):
            return {}
        found |= dict(zip(owners, numbers, strict=False))
    if any(found[before] >= found[after] for before, after in pairwise(sorted(found))):
        return {}
    return {owner: _with_what_stands_above(lines, number) for owner, number in found.items()}


def _with_what_stands_above(lines: list[str], number: int) -> int:
    while number and _BEFORE_HEADS.match(lines[number - 1]):
        number -= 1
    return number

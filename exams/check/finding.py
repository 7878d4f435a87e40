"""What a check finds, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.kernel.documents import Location

SHOWN = 4
"""As many seeds or names are told; of the others only how many they are."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something that is not sound in a file. A warning fails nothing."""

    location: Location
    text: str
    warning: bool = False

    def __str__(self) -> str:
        return f"{self.location}: {'warning: ' if self.warning else ''}{self.text}"


def told(things: Sequence[object]) -> str:
    """A list in words: `1, 3 and 5`, or of a longer one its beginning: `1, 2, 3, 4 and 12 more`."""
    shown = [str(thing) for thing in things[:SHOWN]]
    if len(things) > SHOWN:
        return f"{', '.join(shown)} and {len(things) - SHOWN} more"
    *first, last = shown
    return f"{', '.join(first)} and {last}" if first else last


def percent(share: float) -> str:
    """A share as people read it: `45 %`."""
    return f"{share * 100:.0f} %"


def at_seeds(seeds: Sequence[int], of: int) -> str:
    """`at seed 3`, `at the seeds 3, 7 and 9`, or that it is so at all of those that were tried."""
    if len(seeds) == of:
        return "at every seed"
    return f"at seed {seeds[0]}" if len(seeds) == 1 else f"at the seeds {told(seeds)} of {of}"

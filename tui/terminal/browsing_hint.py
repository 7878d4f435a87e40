"""The bottom row of scroll mode: what one is doing, and words for its keys, each of which can be clicked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tui.terminal.rows import cells

Words = Mapping[str, str]
"""Words that stand together, with a slash between them, and the key of each."""

_GAP = "  "


@dataclass(frozen=True, slots=True)
class Hint:
    """The row's text, and in which columns (the end is exclusive) which key stands."""

    text: str
    places: Sequence[tuple[int, int, str]]

    def key_at(self, column: int) -> str | None:
        """The key of the word at a column."""
        return next((key for start, end, key in self.places if start <= column < end), None)


def laid_out(head: str, groups: Sequence[Words], way_out: Words, width: int) -> Hint:
    """`head`, as many of the words as have room, and in any case the way out."""
    line, places = f" {head}", []
    reserved = cells(_GAP + "/".join(way_out) + " ")
    for group in [*groups, way_out]:
        if group is not way_out and cells(line + _GAP + "/".join(group)) + reserved > width:
            continue
        line += _GAP
        for number, (word, key) in enumerate(group.items()):
            line += "/" if number else ""
            places.append((cells(line), cells(line + word), key))
            line += word
    return Hint(f"{line} ", places)

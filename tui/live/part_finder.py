"""Finds parts by any piece of their ids over all machines and switches of a site, without a list of all parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AlikePlaces:
    """Machines or switches that all have parts of the same names."""

    places: tuple[str, ...]
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundParts:
    """The first ids that fit, how many fit, and of how many."""

    ids: tuple[str, ...]
    found: int
    of: int


def find_parts(alike: Iterable[AlikePlaces], words: Sequence[str], most: int) -> FoundParts:
    """The parts whose id holds every word (in lower case). A word that is a piece of a machine's own name asks for the
    machine: where all of them are, its parts are not meant.
    """
    ids: list[str] = []
    found = of = 0
    for group in alike:
        of += len(group.places) * len(group.parts)
        known: dict[tuple[Wanted, ...], tuple[str, ...]] = {}
        for place in group.places:
            wanted = tuple(_of_the_parts(place.casefold(), words))
            if wanted not in known:
                known[wanted] = tuple(part for part in group.parts if wanted and _fits(part.casefold(), wanted))
            fitting = known[wanted]
            found += len(fitting)
            ids += [f"{place}/{part}" for part in fitting[: max(most - len(ids), 0)]]
    return FoundParts(tuple(ids), found, of)


Wanted = tuple[str, str | None]
"""A word to be found in a part's name, or a text that the name begins with where the word begins in the place's."""


def _of_the_parts(place: str, words: Sequence[str]) -> Iterator[Wanted]:
    """What must be found in the names of a place's parts, since its own name does not hold it."""
    for word in words:
        before, slash, after = word.partition("/")
        if word not in place:
            yield word, after if slash and place.endswith(before) else None


def _fits(part: str, wanted: Iterable[Wanted]) -> bool:
    return all(word in part or (start is not None and part.startswith(start)) for word, start in wanted)

"""Two items that ask nearly the same could both be drawn into one exam."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from exams import item as items
from exams.check.finding import Finding, percent
from exams.check.pool import Entry, Pool
from exams.check.words import likeness, shingles, telling_words
from exams.item import Item

SAME, ALIKE = 0.6, 0.3
"""From this share of common runs of three words on, two stems are the same, or so alike that somebody should look."""

ALIKE_WORDS = 0.3
"""So is this share of common words, taken as the mean of stems and keys: the same question in other words."""


@dataclass(frozen=True)
class _Print:
    """What two items are compared by."""

    runs: frozenset[object]
    words: frozenset[object]
    key: frozenset[object]


def check(pool: Pool) -> Iterator[Finding]:
    """Near-duplicates, each told at the later one of the two."""
    told = set(pool.entries)
    prints = {entry: _print(entry.item) for entry in pool.everything}
    for first, second in combinations(pool.everything, 2):
        if second in told:
            yield from _compared(first, second, prints[first], prints[second])


def _compared(first: Entry, second: Entry, one: _Print, other: _Print) -> Iterator[Finding]:
    runs = likeness(one.runs, other.runs)
    alike = (likeness(one.words, other.words) + likeness(one.key, other.key)) / 2
    if runs >= ALIKE:
        share = f"{percent(runs)} of the runs of three words in their stems are common"
    elif alike >= ALIKE_WORDS:
        share = f"{percent(alike)} of the words in their stems and keys are common"
    else:
        return
    text = f"nearly the same question as {first.place}: {share}; leave one out, or ask something else"
    yield second.finding(text, "stem", warning=runs < SAME)


def _print(item: Item) -> _Print:
    stem = [item.stem, *_shown(item)]
    return _Print(shingles(stem), _words([item.stem]), _words(_key(item)))


def _words(texts: Iterable[str]) -> frozenset[object]:
    return frozenset(telling_words(" ".join(texts)))


def _shown(item: Item) -> tuple[str, ...]:
    """What an exhibit adds to the stem: the lines that are typed, or its text."""
    if item.exhibit is None:
        return ()
    return (item.exhibit.text,) if item.exhibit.text else item.exhibit.lines


def _key(item: Item) -> list[str]:
    """The texts of what is right."""
    if isinstance(item, items.Single | items.Multiple):
        return [option.text for option in item.options if option.right is not False]
    if isinstance(item, items.Ordering):
        return [step.text for step in item.steps]
    if isinstance(item, items.Matching):
        return [f"{pair.left} {pair.right}" for pair in item.pairs]
    return []

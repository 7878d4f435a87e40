"""The right option of single-choice items stands at each place equally often, over items and seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from exams.check.finding import Finding, percent
from exams.check.pool import Pool
from exams.rendered import letter

SKEW = 0.08
"""So far from its part of all may the share of a place be."""

ENOUGH = 500
"""With fewer renderings chance alone reaches that."""


def check(pool: Pool) -> Iterator[Finding]:
    """Places that right options prefer or avoid; it is told at the first item."""
    places: dict[int, Counter[str]] = {}
    for entry in pool.entries:
        for one in pool.looks[entry].rendered.values():
            if one.kind == "single":
                places.setdefault(len(one.choices), Counter())[letter(one.choices, one.key[0])] += 1
    for options, found in sorted(places.items()):
        yield from _skewed(pool, options, found)


def _skewed(pool: Pool, options: int, places: Counter[str]) -> Iterator[Finding]:
    total = places.total()
    for place in "ABCDEFGH"[:options]:
        share = places[place] / total
        if total >= ENOUGH and abs(share - 1 / options) > SKEW:
            what = f"the right one of {options} options stands at {place} in {percent(share)} of {total} renderings"
            text = f"{what}, not in about {percent(1 / options)}; give options other ids, which decide the shuffle"
            yield pool.entries[0].finding(text)

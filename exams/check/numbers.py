"""Numbers: a tolerance that tells right from wrong, and a unit that the stem does not contradict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from exams import item as items
from exams.check.finding import Finding, percent
from exams.check.pool import Entry, Pool
from exams.quantities import convert, exact, number_text

WIDEST, WIDE = Fraction(1, 2), Fraction(1, 5)
"""A tolerance of this share of the number lets nearly everything pass, or more than it should."""

DECIMALS = 2
"""A number with more of them is rounded by people, so it needs a tolerance."""

ONE = Fraction(1)

_BASES = ("W", "V", "A", "MHz", "C", "m", "%", "s", "B", "B/s")
"""One unit of everything that is measured; a word that converts to one of them is a unit."""

_UNIT = re.compile(r"\bin (?P<unit>[A-Za-z°%]+(?:/s)?)(?=[\s,.;:?)]|$)")


def check(pool: Pool) -> Iterator[Finding]:
    """Numeric items whose tolerance or unit is not sensible."""
    for entry in pool.entries:
        if isinstance(entry.item, items.Numeric):
            yield from _tolerance(entry, entry.item, pool)
            yield from _unit(entry, entry.item)


def _tolerance(entry: Entry, item: items.Numeric, pool: Pool) -> Iterator[Finding]:
    numbers = {exact(one.number) for one in pool.looks[entry].rendered.values()}
    tolerance = exact(item.tolerance)
    smallest = min((abs(number) for number in numbers if number), default=None)
    if smallest is not None and tolerance >= smallest * WIDE:
        share = percent(float(tolerance / smallest))
        told = f"a tolerance of {number_text(tolerance)} is {share} of {number_text(smallest)}"
        wide = tolerance < smallest * WIDEST
        yield entry.finding(f"{told}; a guess may pass, make it smaller", "tolerance", warning=wide)
    rounded = next((number for number in sorted(numbers) if (number * 10**DECIMALS).denominator != 1), None)
    if rounded is not None and not tolerance:
        text = f"{number_text(rounded)} has more than {DECIMALS} decimals and is taken exactly; give a `tolerance`"
        yield entry.finding(text, "value" if item.fact is None else "fact")


def _unit(entry: Entry, item: items.Numeric) -> Iterator[Finding]:
    for found in _UNIT.finditer(item.stem):
        asked = found["unit"]
        if any(convert(ONE, asked, base) for base in _BASES) and (
            not item.unit or convert(ONE, asked, item.unit) != ONE
        ):
            what = f"the stem asks for {asked}, the unit is {item.unit or 'none'}"
            yield entry.finding(f"{what}; make them the same", "unit" if item.unit else "stem")

"""Every item says where its truth stands, and when somebody last looked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from exams.blueprint import Source
from exams.check.finding import Finding
from exams.check.pool import Entry, Pool

LONG_AFTER = timedelta(days=366)
"""Where nobody says which day it is, a date so long after all others of the exam is told as a likely slip."""


def check(pool: Pool) -> Iterator[Finding]:
    """Sources without a place in them, and dates in the future."""
    for number, source in enumerate(pool.blueprint.sources):
        if not (source.locator or source.url):
            yield from pool.on_blueprint(f"{_named(source)}: {_NO_PLACE}", "sources", number)
        if pool.today and source.checked > pool.today:
            yield from pool.on_blueprint(f"{_named(source)}: {_future(pool.today, source)}", "sources", number)
    for entry in pool.entries:
        for number, source in enumerate(entry.item.sources):
            yield from _source(pool, entry, number, source)


_NO_PLACE = "nothing says where in it; give a `locator` (section, page, command) or a `url`"


def _source(pool: Pool, entry: Entry, number: int, source: Source) -> Iterator[Finding]:
    if not (source.locator or source.url):
        yield entry.finding(f"{_named(source)}: {_NO_PLACE}", "sources", number)
    if pool.today and source.checked > pool.today:
        yield entry.finding(f"{_named(source)}: {_future(pool.today, source)}", "sources", number, "checked")
    elif not pool.today and (last := _last_of_others(pool, entry)) and source.checked > last + LONG_AFTER:
        text = f"{_named(source)}: {source.checked} is more than a year after every other date ({last} is the last)"
        yield entry.finding(f"{text}; correct it", "sources", number, "checked", warning=True)


def _last_of_others(pool: Pool, entry: Entry) -> date | None:
    """The last date of the exam's other items."""
    dates = (source.checked for other in pool.everything if other is not entry for source in other.item.sources)
    return max(dates, default=None)


def _future(today: date, source: Source) -> str:
    return f"checked on {source.checked}, which is after {today}; write the day on which somebody looked"


def _named(source: Source) -> str:
    return f"source {source.title}"

"""Schedules of CronJobs: five fields, or @hourly and its like, as robfig/cron's standard parser reads them."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from functools import cache

from engine.kernel.quick_dataclass import dataclass

_NAMED = {
    "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}  # fmt: skip
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_BOUNDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_LONGEST = 5 * 366


class BadSchedule(ValueError):
    """A text that is no schedule; says why in the parser's words."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The minutes, hours, days of the month, months and days of the week (0: Sunday) at which something is due. Where
    both kinds of day are limited, either will do.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool

    def after(self, moment: datetime) -> datetime | None:
        """The first moment later than this one, to the minute; None where none comes within five years."""
        start = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
        for offset in range(_LONGEST):
            day = start.date() + timedelta(days=offset)
            if not self._on(day):
                continue
            for hour in sorted(self.hours):
                for minute in sorted(self.minutes):
                    found = datetime(day.year, day.month, day.day, hour, minute, tzinfo=moment.tzinfo)
                    if found >= start:
                        return found
        return None

    def _on(self, day: date) -> bool:
        in_month, in_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        fits = in_month and in_week if self.any_day or self.any_weekday else in_month or in_week
        return day.month in self.months and fits


@cache
def parse(text: str) -> Schedule:
    """The schedule that a text means. Raises BadSchedule."""
    words = _NAMED.get(text.strip(), text).split()
    if text.strip().startswith("@") and len(words) == 1:
        raise BadSchedule(f"unrecognized descriptor: {text.strip()}")
    if len(words) != len(_BOUNDS):
        raise BadSchedule(f"expected exactly 5 fields, found {len(words)}: [{' '.join(words)}]")
    minutes, hours, days, months, weekdays = (_field(word, place) for place, word in enumerate(words))
    stars = [word.partition("/")[0] in ("*", "?") for word in words]
    return Schedule(minutes, hours, days, months, weekdays, any_day=stars[2], any_weekday=stars[4])


def _field(text: str, place: int) -> frozenset[int]:
    found: set[int] = set()
    low, high = _BOUNDS[place]
    for part in text.split(","):
        span, _, step = part.partition("/")
        begin, dash, end = span.partition("-")
        if begin in ("*", "?"):
            first, last = low, high
        else:
            first = _number(begin, place)
            last = _number(end, place) if dash else high if step else first
        if step and not (step.isdecimal() and int(step)):
            raise BadSchedule(f"step of range should be a positive number: {part}")
        if first < low:
            raise BadSchedule(f"beginning of range ({first}) below minimum ({low}): {part}")
        if last > high:
            raise BadSchedule(f"end of range ({last}) above maximum ({high}): {part}")
        if first > last:
            raise BadSchedule(f"beginning of range ({first}) beyond end of range ({last}): {part}")
        found.update(range(first, last + 1, int(step or 1)))
    return frozenset(found)


def _number(text: str, place: int) -> int:
    names = {3: _MONTHS, 4: _DAYS}.get(place, ())
    if text.lower() in names:
        return names.index(text.lower()) + _BOUNDS[place][0]
    if not text.isdecimal():
        raise BadSchedule(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
    return int(text)

"""Dates as people write them for `date -d`, `touch -d` and `find -newermt`: gnulib's parse_datetime, without its
rarest zones.

A text is a sequence of items in any order: a date, a time of day, a zone, a weekday, and relative parts (`2 days ago`,
`next month`). Only a relative text keeps the time of day of now; a date or weekday alone means midnight.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, timezone

from engine.commands.linux._support.strftime import DAYS, MONTHS
from engine.kernel.calendar import epoch_of, local, zone_names
from engine.kernel.units import SECOND

_MONTH_NAMES = {name.lower(): number + 1 for number, name in enumerate(MONTHS)}
_MONTH_NAMES |= {name[:3]: number for name, number in list(_MONTH_NAMES.items())} | {"sept": 9}
_DAY_NAMES = {name.lower(): number for number, name in enumerate(DAYS)}
_DAY_NAMES |= {name[:3]: number for name, number in list(_DAY_NAMES.items())}
_DAY_NAMES |= {"tues": 1, "wednes": 2, "thur": 3, "thurs": 3}
_UNITS = {
    "year": (12, "months"), "month": (1, "months"), "fortnight": (14, "days"), "week": (7, "days"),
    "day": (1, "days"), "hour": (3600, "seconds"), "minute": (60, "seconds"), "min": (60, "seconds"),
    "second": (1, "seconds"), "sec": (1, "seconds"),
}  # fmt: skip
_SHIFTS = {"tomorrow": 1, "yesterday": -1, "today": 0, "now": 0}
_ORDINALS = {
    "last": -1, "this": 0, "next": 1, "first": 1, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "eleventh": 11, "twelfth": 12,
}  # fmt: skip
_ZONES = {
    "utc": 0, "gmt": 0, "ut": 0, "z": 0, "wet": 0, "west": 60, "bst": 60, "cet": 60, "cest": 120, "met": 60,
    "mest": 120,
    "eet": 120, "eest": 180, "msk": 180, "ist": 330, "jst": 540, "est": -300, "edt": -240, "cst": -360, "cdt": -300,
    "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
}  # fmt: skip

_MONTH = "(" + "|".join(sorted(_MONTH_NAMES, key=len, reverse=True)) + r")\.?(?![a-z])"


class DateError(ValueError):
    """The text is no date."""


@dataclass(slots=True)
class _Reading:
    """What has been read of a text so far."""

    now: datetime
    year: int | None = None
    month: int = 1
    day: int = 1
    clock: tuple[int, int, int, int] | None = None
    offset: int | None = None
    weekday: int | None = None
    ordinal: int = 0
    relative: bool = False
    months: int = 0
    days: int = 0
    seconds: int = 0
    nanoseconds: int = 0
    year_written: bool = False
    seen: list[str] = field(default_factory=list)

    def once(self, kind: str) -> None:
        """Note an item that may stand only once."""
        if kind in self.seen:
            raise DateError
        self.seen.append(kind)


def parse_date(text: str, timezone_name: str, now: int) -> int:
    """ns since 1970 of `text`, read at `now` in the zone. Raises DateError."""
    words = text.strip()
    quoted = re.match(r'TZ="([^"]*)"\s*', words)
    if quoted:
        timezone_name, words = quoted[1] or "Etc/UTC", words[quoted.end() :]
        timezone_name = timezone_name if timezone_name in zone_names() else "Etc/UTC"
    if stamp := re.fullmatch(r"@([-+]?\d+)(?:[.,](\d+))?", words):
        return int(stamp[1]) * SECOND + _fraction(stamp[2])
    reading = _Reading(local(timezone_name, now), nanoseconds=now % SECOND)
    rest = re.sub(r"\([^()]*\)", " ", words.lower())
    try:
        while rest := rest.lstrip(" \t\n,"):
            rest = _item(reading, rest)
        return _resolve(reading, timezone_name)
    except (OverflowError, ValueError):
        raise DateError(text) from None


def _item(reading: _Reading, rest: str) -> str:
    """Read one item from the start of `rest`. Returns what follows it."""
    for pattern, take in _ITEMS:
        match = pattern.match(rest)
        if match and (end := take(reading, match)) is not False:
            return rest[match.end() if end is None else end :]
    raise DateError


def _take_date(reading: _Reading, year: str | None, month: int, day: str) -> None:
    reading.once("date")
    reading.year_written = year is not None
    if year is not None:
        number = int(year)
        reading.year = number + (2000 if number < 69 else 1900) if len(year) <= 2 else number
    reading.month, reading.day = month, int(day)


def _iso_date(reading: _Reading, match: re.Match[str]) -> None:
    _take_date(reading, match[1], int(match[2]), match[3])


def _us_date(reading: _Reading, match: re.Match[str]) -> None:
    if len(match[1]) > 2:
        _take_date(reading, match[1], int(match[2]), match[3] or "1")
    else:
        _take_date(reading, match[3], int(match[1]), match[2])


def _day_month(reading: _Reading, match: re.Match[str]) -> None:
    _take_date(reading, match[3], _MONTH_NAMES[match[2]], match[1])


def _month_day(reading: _Reading, match: re.Match[str]) -> None:
    _take_date(reading, match[3], _MONTH_NAMES[match[1]], match[2])


def _time(reading: _Reading, match: re.Match[str]) -> None:
    reading.once("time")
    hour, minute, second = int(match[1]), int(match[2] or 0), int(match[3] or 0)
    reading.clock = (_hour(hour, match[5]), minute, second, _fraction(match[4]))
    if match[6] and not match[5]:
        reading.once("zone")
        reading.offset = _offset(match[6])


def _plain_hour(reading: _Reading, match: re.Match[str]) -> None:
    reading.once("time")
    reading.clock = (_hour(int(match[1]), match[2]), 0, 0, 0)


def _hour(hour: int, meridian: str | None) -> int:
    if meridian is None:
        return hour
    if not 1 <= hour <= 12:
        raise DateError
    return hour % 12 + (12 if meridian.startswith("p") else 0)


def _offset(text: str) -> int:
    """Seconds of +hh, +hhmm or +hh:mm."""
    sign, digits = (-1 if text[0] == "-" else 1), text[1:].strip().replace(":", "")
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    if hours > 24 or minutes > 59:
        raise DateError
    return sign * (hours * 3600 + minutes * 60)


def _zone(reading: _Reading, match: re.Match[str]) -> bool | None:
    if match[1] not in _ZONES:
        return False
    reading.once("zone")
    reading.offset = _ZONES[match[1]] * 60 + (_offset(match[2]) if match[2] else 0)
    return None


def _relative(reading: _Reading, match: re.Match[str]) -> None:
    sign, number, ordinal, unit, ago = match.groups()
    count = int(number) if number else _ORDINALS[ordinal] if ordinal else 1
    count = -count if (sign or "").replace("+", "").count("-") % 2 else count
    _shift(reading, -count if ago else count, unit)


def _shift(reading: _Reading, count: int, unit: str) -> None:
    factor, kind = _UNITS[unit.removesuffix("s") if unit not in _UNITS else unit]
    reading.relative = True
    setattr(reading, kind, getattr(reading, kind) + count * factor)


def _named(reading: _Reading, match: re.Match[str]) -> None:
    reading.relative = True
    reading.days += _SHIFTS[match[1]]


def _weekday(reading: _Reading, match: re.Match[str]) -> None:
    reading.once("weekday")
    number, ordinal, name = match.groups()
    reading.ordinal = int(number) if number else _ORDINALS[ordinal] if ordinal else 0
    reading.weekday = _DAY_NAMES[name]


def _number(reading: _Reading, match: re.Match[str]) -> None:
    digits = match[1]
    if "date" in reading.seen and not reading.year_written and ("time" in reading.seen or len(digits) > 2):
        reading.year, reading.year_written = int(digits), True
    elif len(digits) > 4:
        _take_date(reading, digits[:-4], int(digits[-4:-2]), digits[-2:])
    else:
        reading.once("time")
        hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
        reading.clock = (hours, minutes, 0, 0)


_UNIT = r"((?:year|month|fortnight|week|day|hour|minute|min|second|sec)s?)(?![a-z])"
_ORDINAL = r"(?:(" + "|".join(_ORDINALS) + r")\s+)?"
_MERIDIAN = r"([ap]\.?m\.?)(?![a-z])"
_WEEKDAYS = "(" + "|".join(sorted(_DAY_NAMES, key=len, reverse=True)) + r")\.?(?![a-z])"

_ITEMS: tuple[tuple[re.Pattern[str], Callable[[_Reading, re.Match[str]], bool | int | None]], ...] = (
    (re.compile(r"(\d{1,4})-(\d{1,2})-(\d{1,2})(?:t(?=\d)|(?![\d-]))"), _iso_date),
    (re.compile(r"(\d{1,4})/(\d{1,2})(?:/(\d{1,4}))?(?![\d/])"), _us_date),
    (re.compile(r"(\d{1,2})[ -]?" + _MONTH + r"(?:[ -]*,?[ -]*(\d{4})(?![\d:]))?"), _day_month),
    (re.compile(_MONTH + r"[ -]*(\d{1,2})(?![\d:])(?:[ -]*,[ -]*(\d{4})(?![\d:]))?"), _month_day),
    (re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:\s*" + _MERIDIAN
                + r")?(?:\s*([-+]\s*\d{1,4}(?::\d\d)?)(?![\d-]))?"), _time),
    (re.compile(r"(\d{1,2})\s*" + _MERIDIAN), _plain_hour),
    (re.compile(r"([-+ ]*[-+]\s*)?(?:(\d+)\s*)?" + _ORDINAL + _UNIT + r"(\s*ago(?![a-z]))?"), _relative),
    (re.compile(r"(?:(\d+)\s+)?" + _ORDINAL + _WEEKDAYS), _weekday),
    (re.compile(r"(tomorrow|yesterday|today|now)(?![a-z])"), _named),
    (re.compile(r"([a-z]+)([-+]\d{1,4}(?::\d\d)?)?"), _zone),
    (re.compile(r"(\d+)(?![\d:])"), _number),
)  # fmt: skip


def _fraction(digits: str | None) -> int:
    return int((digits or "")[:9].ljust(9, "0"))


def _resolve(reading: _Reading, timezone_name: str) -> int:
    # A zone in the text changes how day and clock are read, not which day it is now: that is the host's zone's.
    now = reading.now
    relative_only = reading.relative and "date" not in reading.seen and "weekday" not in reading.seen
    clock = (now.hour, now.minute, now.second, reading.nanoseconds) if relative_only else (0, 0, 0, 0)
    hour, minute, second, fraction = reading.clock or clock
    if hour > 23 or minute > 59 or second > 59:
        raise DateError
    day = _day(reading, now) + timedelta(days=reading.days)
    moment = datetime(day.year, day.month, day.day, hour, minute, second)
    if reading.offset is not None:
        moment = moment.replace(tzinfo=timezone(timedelta(seconds=reading.offset)))
    elif relative_only and reading.clock is None:
        # A purely relative date keeps now's offset, across a change to summer time too.
        moment = moment.replace(tzinfo=timezone(now.utcoffset() or timedelta()))
    return epoch_of(timezone_name, moment) + reading.seconds * SECOND + fraction


def _day(reading: _Reading, now: datetime) -> date:
    """The day that is meant, before days are added; too short months run over into the next, as mktime does."""
    dated = "date" in reading.seen
    year = reading.year if reading.year is not None else now.year
    month, day = (reading.month, reading.day) if dated else (now.month, now.day)
    if dated:
        date(year, month, day)
    months = year * 12 + month - 1 + reading.months
    found = date(months // 12, months % 12 + 1, 1) + timedelta(days=day - 1)
    if reading.weekday is not None and not dated:
        ahead = (reading.weekday - found.weekday()) % 7
        weeks = reading.ordinal - (1 if reading.ordinal > 0 and ahead != 0 else 0)
        found += timedelta(days=ahead + 7 * weeks)
    return found

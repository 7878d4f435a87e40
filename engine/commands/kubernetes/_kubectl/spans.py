"""Times as Kubernetes' programs write them.

Sources: apimachinery pkg/util/duration (HumanDuration) and Go's time.RFC1123Z. Times are ns since 1970; the API writes
them as RFC 3339 in UTC.
"""

from __future__ import annotations

import re
from datetime import date

from engine.kernel.units import SECOND

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_EPOCH = date(1970, 1, 1).toordinal()
_STAMP = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|\+00:00)$")


def human(duration: int) -> str:
    """A length of time in ns: two units at most (`3m29s`, `5h`, `17d`)."""
    seconds = duration // SECOND if duration >= 0 else -(-duration // SECOND)
    if seconds < 0:
        return "<invalid>" if seconds < -1 else "0s"
    minutes, hours, days = seconds // 60, seconds // 3600, seconds // 86400
    if seconds < 120:
        return f"{seconds}s"
    if minutes < 10:
        return _two(minutes, "m", seconds % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if hours < 192:
        return _two(days, "d", hours % 24, "h")
    if days < 730:
        return f"{days}d"
    if days < 2920:
        return _two(days // 365, "y", days % 365, "d")
    return f"{days // 365}y"


def _two(first: int, unit: str, second: int, smaller: str) -> str:
    return f"{first}{unit}{second}{smaller}" if second else f"{first}{unit}"


def parse(stamp: str) -> int | None:
    """ns since 1970 of a time of the API, None for something else."""
    match = _STAMP.match(stamp or "")
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(group) for group in match.groups()[:6])
    fraction = int((match[7] or "").ljust(9, "0")[:9])
    days = date(year, month, day).toordinal() - _EPOCH
    return (days * 86400 + hour * 3600 + minute * 60 + second) * SECOND + fraction


def since(stamp: str | None, now: int) -> str:
    """How long ago a time of the API is, `<unknown>` where there is none."""
    moment = parse(stamp or "")
    return "<unknown>" if moment is None else human(now - moment)


def long(stamp: str | None) -> str:
    """A time of the API as `describe` writes it: `Mon, 30 Nov 2026 14:09:45 +0000`."""
    match = _STAMP.match(stamp or "")
    if match is None:
        return "Mon, 01 Jan 0001 00:00:00 +0000"
    year, month, day = int(match[1]), int(match[2]), int(match[3])
    weekday = _DAYS[date(year, month, day).weekday()]
    return f"{weekday}, {day:02d} {_MONTHS[month - 1]} {year:04d} {match[4]}:{match[5]}:{match[6]} +0000"

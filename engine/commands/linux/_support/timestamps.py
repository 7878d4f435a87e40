"""Times and spans as systemd 255 writes and reads them (systemd.time(7)); util-linux's dmesg reads the same grammar."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from engine.commands.linux._support.strftime import DAYS
from engine.kernel.calendar import epoch_of, local, utc
from engine.kernel.units import DAY, HOUR, MICROSECOND, MILLISECOND, MINUTE, SECOND

MONTH = 2_629_800 * SECOND
YEAR = 31_557_600 * SECOND
WEEK = 7 * DAY

_UNITS = {
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), SECOND),
    **dict.fromkeys(("m", "min", "minute", "minutes"), MINUTE),
    **dict.fromkeys(("h", "hr", "hour", "hours"), HOUR),
    **dict.fromkeys(("d", "day", "days"), DAY),
    **dict.fromkeys(("w", "week", "weeks"), WEEK),
    **dict.fromkeys(("M", "month", "months"), MONTH),
    **dict.fromkeys(("y", "year", "years"), YEAR),
    **dict.fromkeys(("ms", "msec"), MILLISECOND),
    **dict.fromkeys(("us", "usec", "µs"), MICROSECOND),
}
_SPAN_PART = re.compile(r"\s*(\d+)(?:\.(\d+))?\s*([a-zA-Zµ]*)\s*")
_STAMP = re.compile(
    r"(?:(?P<date>\d{2,4}-\d{1,2}-\d{1,2})(?:[ T](?=\d)|$))?"
    r"(?:(?P<clock>\d{1,2}:\d{2}(?::\d{2})?)(?:\.(?P<fraction>\d{1,9}))?)?"
)
_WEEKDAY = re.compile("(?:" + "|".join(f"{day}|{day[:3]}" for day in DAYS) + r")[ ,]+", re.IGNORECASE)
_ZONE = re.compile(r"\s*(UTC|Z|[-+]\d{2}:?\d{2})$")


def parse_span(text: str) -> int:
    """ns of `1h 30min`, `90`, `2d`. Raises ValueError."""
    position, total = 0, 0
    if not text.strip():
        raise ValueError(text)
    while position < len(text):
        match = _SPAN_PART.match(text, position)
        if not match or match[3] not in _UNITS:
            raise ValueError(text)
        unit = _UNITS[match[3]]
        total += int(match[1]) * unit + (int(match[2]) * unit // 10 ** len(match[2]) if match[2] else 0)
        position = match.end()
    return total


def parse_timestamp(text: str, zone: str, now: int) -> int:
    """ns since 1970 of a timestamp read at `now` in `zone`. Raises ValueError."""
    text = text.strip()
    named = _named(text, zone, now)
    if named is not None:
        return named
    if text.startswith("@"):
        return parse_span(text[1:])
    if text[:1] in ("+", "-") and text[1:2].isdigit():
        return now + parse_span(text[1:]) * (1 if text[0] == "+" else -1)
    if text.endswith((" ago", " left")):
        span = parse_span(text.rpartition(" ")[0])
        return now - span if text.endswith("ago") else now + span
    return _calendar(text, zone, now)


def _named(text: str, zone: str, now: int) -> int | None:
    if text == "now":
        return now
    days = {"today": 0, "yesterday": -1, "tomorrow": 1}.get(text)
    if days is None:
        return None
    midnight = local(zone, now).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    return epoch_of(zone, midnight + timedelta(days=days))


def _calendar(text: str, zone: str, now: int) -> int:
    weekday = _WEEKDAY.match(text)
    text = text[weekday.end() :] if weekday else text
    offset = None
    if ending := _ZONE.search(text):
        if "-" in ending[1] and ":" not in text and " " not in text:
            ending = None
        else:
            offset, text = _offset(ending[1]), text[: ending.start()]
    match = _STAMP.fullmatch(text)
    if not match or not (match["date"] or match["clock"]):
        raise ValueError(text)
    today = local(zone, now)
    year, month, day = (int(part) for part in (match["date"] or today.strftime("%Y-%m-%d")).split("-"))
    year += (2000 if year < 69 else 1900) if year < 100 else 0
    clock = [int(part) for part in (match["clock"] or "0:0").split(":")]
    moment = datetime(year, month, day, clock[0], clock[1], clock[2] if len(clock) > 2 else 0, tzinfo=offset)
    return epoch_of(zone, moment) + int((match["fraction"] or "").ljust(9, "0"))


def _offset(text: str) -> timezone:
    if text in ("UTC", "Z"):
        return UTC
    digits = text[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))


def format_timestamp(zone: str, epoch: int, *, in_utc: bool = False) -> str:
    """`Mon 2026-11-30 09:00:00 UTC`, as `systemctl status` and `journalctl -o short-full` show a time."""
    clock = utc(epoch) if in_utc else local(zone, epoch)
    return f"{DAYS[clock.weekday()][:3]} {clock:%Y-%m-%d %H:%M:%S} {clock.tzname()}"


def format_relative(now: int, then: int) -> str:
    """`1 month 2 days ago`, `5h 3min ago`, `23s ago`: systemd's format_timestamp_relative."""
    gone = abs(now - then)
    suffix = "ago" if now >= then else "left"
    for unit, name, part, part_name in ((YEAR, "year", MONTH, "month"), (MONTH, "month", DAY, "day")):
        if gone >= unit:
            return f"{_plural(gone // unit, name)} {_plural(gone % unit // part, part_name)} {suffix}"
    if gone >= WEEK:
        return f"{_plural(gone // WEEK, 'week')} {_plural(gone % WEEK // DAY, 'day')} {suffix}"
    if gone >= 2 * DAY:
        return f"{gone // DAY} days {suffix}"
    if gone >= 25 * HOUR:
        return f"1 day {gone % DAY // HOUR}h {suffix}"
    if gone >= 6 * HOUR:
        return f"{gone // HOUR}h {suffix}"
    if gone >= HOUR:
        return f"{gone // HOUR}h {gone % HOUR // MINUTE}min {suffix}"
    if gone >= 5 * MINUTE:
        return f"{gone // MINUTE}min {suffix}"
    if gone >= MINUTE:
        return f"{gone // MINUTE}min {gone % MINUTE // SECOND}s {suffix}"
    if gone >= SECOND:
        return f"{gone // SECOND}s {suffix}"
    if gone >= MILLISECOND:
        return f"{gone // MILLISECOND}ms {suffix}"
    return f"{gone // MICROSECOND}us {suffix}" if gone else "now"


def format_span(duration: int, accuracy: int = MICROSECOND) -> str:
    """`1h 2min 3.456s`: systemd's format_timespan."""
    parts, rest = [], duration
    for name, unit in (("y", YEAR), ("month", MONTH), ("w", WEEK), ("d", DAY), ("h", HOUR), ("min", MINUTE)):
        count, rest = divmod(rest, unit)
        if count:
            parts.append(f"{count}month" + ("s" if count > 1 else "") if name == "month" else f"{count}{name}")
        if parts and rest < accuracy:
            return " ".join(parts)
    for name, unit, below in (("s", SECOND, MILLISECOND), ("ms", MILLISECOND, MICROSECOND), ("us", MICROSECOND, 1)):
        if rest >= unit or unit == MICROSECOND:
            parts += _fraction(rest, unit, max(accuracy, below), name)
            break
    return " ".join(parts) or "0"


def _fraction(rest: int, unit: int, accuracy: int, name: str) -> list[str]:
    if not rest:
        return []
    digits, step = "", unit
    while step > accuracy:
        step //= 10
        digits += str(rest // step % 10)
    whole = f"{rest // unit}.{digits}" if digits else str(rest // unit)
    return [whole + name]


def _plural(count: int, name: str) -> str:
    """`1 day`, `2 days`; systemd writes `0 days` too."""
    return f"{count} {name}" if count == 1 else f"{count} {name}s"

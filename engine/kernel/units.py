"""Units of the state: integer nanoseconds, millidegrees, milliwatts, bytes, bits per second; and how people write
durations.
"""

from __future__ import annotations

import re

from engine.kernel.errors import BreakfixError

NANOSECOND = 1
MICROSECOND = 1_000
MILLISECOND = 1_000_000
SECOND = 1_000_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB

_DURATION_UNITS = {
    "ns": NANOSECOND,
    "us": MICROSECOND,
    "ms": MILLISECOND,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
    "d": DAY,
}
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d)")


def duration(text: str) -> int:
    """Nanoseconds of `90s`, `10m`, `1h30m`, `2d`, `1.5s`; a bare number is seconds.

    Raises BreakfixError for anything else.
    """
    cleaned = text.strip().replace(" ", "")
    if re.fullmatch(r"\d+(\.\d+)?", cleaned):
        cleaned += "s"
    parts = _DURATION_PART.findall(cleaned)
    if not parts or "".join(number + unit for number, unit in parts) != cleaned:
        raise BreakfixError(f"'{text}' is not a duration", "Write it like 90s, 10m, 1h30m or 2d.")
    return sum(_scaled(number, _DURATION_UNITS[unit]) for number, unit in parts)


def _scaled(number: str, unit: int) -> int:
    """`number` x `unit` without floating point, so that every platform gives the same integer."""
    whole, _, fraction = number.partition(".")
    return int(whole) * unit + (int(fraction) * unit // 10 ** len(fraction) if fraction else 0)


def format_duration(nanoseconds: int) -> str:
    """The shortest exact form of a duration, largest unit first: `1h30m`, `90ms`, `0s`."""
    if nanoseconds < 0:
        return "-" + format_duration(-nanoseconds)
    parts = []
    for name, unit in (
        ("d", DAY),
        ("h", HOUR),
        ("m", MINUTE),
        ("s", SECOND),
        ("ms", MILLISECOND),
        ("us", MICROSECOND),
        ("ns", 1),
    ):
        count, nanoseconds = divmod(nanoseconds, unit)
        if count:
            parts.append(f"{count}{name}")
    return "".join(parts) or "0s"

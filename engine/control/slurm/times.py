"""Times as Slurm's tools write and read them.

Source: SchedMD/slurm 24.11 src/common/parse_time.c (secs2time_str, slurm_make_time_str, time_str2mins, parse_time) and
the `_print_secs` of src/sinfo/print.c and src/squeue/print.c.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from engine.kernel.calendar import epoch_of, local
from engine.kernel.units import DAY, HOUR, MINUTE, SECOND
from engine.world.inventory import Inventory

_LIMIT = re.compile(r"(?:(\d{1,12})-)?(\d{1,12})(?::(\d{1,12}))?(?::(\d{1,12}))?")
_LONGEST_LIMIT = (1 << 31) * 60  # seconds; Slurm keeps minutes in 32 bits
_FARTHEST = 365_000 * DAY
_UNLIMITED = ("infinite", "unlimited", "-1")
_OFFSET = re.compile(r"now(?:([+-])(\d{1,12})([a-z]*))?")
_OFFSET_UNITS = (("seconds", SECOND), ("minutes", MINUTE), ("hours", HOUR), ("days", DAY), ("weeks", 7 * DAY))
_NAMED = {"midnight": (0, 0), "elevenses": (11, 0), "noon": (12, 0), "fika": (15, 0), "teatime": (16, 0)}
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?(am|pm)?")
_ISO = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_AMERICAN = re.compile(r"(\d{1,2})[/.](\d{1,2})(?:[/.](\d{2,4}))?")


def short_time(seconds: int) -> str:
    """`0:07`, `1:02:03`, `1-00:00:00`, as sinfo and squeue print limits and elapsed times."""
    days, rest = divmod(seconds, 86_400)
    hours, minutes, left = rest // 3600, rest // 60 % 60, rest % 60
    if days:
        return f"{days}-{hours:02d}:{minutes:02d}:{left:02d}"
    return f"{hours}:{minutes:02d}:{left:02d}" if hours else f"{minutes}:{left:02d}"


def full_time(seconds: int) -> str:
    """`00:00:07`, `1-00:00:00`, as scontrol and sacct print them."""
    days, rest = divmod(seconds, 86_400)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{days}-{clock}" if days else clock


def timestamp(inventory: Inventory, time: int) -> str:
    """`2026-11-30T14:08:40` in the site's zone; `time` is in ns since the site's start."""
    return local(inventory.timezone, inventory.start + time).strftime("%Y-%m-%dT%H:%M:%S")


def date_line(inventory: Inventory, now: int) -> str:
    """The line above a long listing: `Mon Nov 30 14:08:50 2026`."""
    return local(inventory.timezone, inventory.start + now).strftime("%a %b %d %H:%M:%S %Y")


def parse_limit(text: str) -> int | None:
    """ns of a time limit (`30`, `1:30`, `2-00:00:00`, `INFINITE`); None for no limit. Raises ValueError for anything
    else.

    Forms: minutes, minutes:seconds, hours:minutes:seconds, days-hours, days-hours:minutes, days-hours:minutes:seconds.
    Slurm keeps whole minutes and rounds seconds up.
    """
    if text.lower() in _UNLIMITED:
        return None
    match = _LIMIT.fullmatch(text)
    if not match:
        raise ValueError(text)
    days, first, second, third = (int(part) if part else None for part in match.groups())
    if days is not None:
        total = days * 86_400 + (first or 0) * 3600 + (second or 0) * 60 + (third or 0)
    elif third is not None:
        total = (first or 0) * 3600 + (second or 0) * 60 + third
    else:
        total = (first or 0) * 60 + (second or 0)
    if total > _LONGEST_LIMIT:
        raise ValueError(text)
    return -(-total // 60) * MINUTE


def parse_moment(text: str, inventory: Inventory, now: int, past: bool = False) -> int:
    """The time (ns since the site's start) that `text` names: `now+2hours`, `14:30`, `11/30`, `2026-11-30T09:00`,
    `today`.

    A time of day alone is the next one, or with `past` today's. Raises ValueError for anything else.
    """
    moment = _named_moment(text, inventory, now, past)
    if abs(moment) > _FARTHEST:
        raise ValueError(text)
    return moment


def _named_moment(text: str, inventory: Inventory, now: int, past: bool) -> int:
    lowered = text.strip().lower()
    if match := _OFFSET.fullmatch(lowered):
        return now + _offset(*match.groups())
    here = local(inventory.timezone, inventory.start + now)
    if lowered in ("today", "tomorrow"):
        midnight = here.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        moment = midnight + timedelta(days=lowered == "tomorrow")
    else:
        moment = _moment(text.strip(), here.replace(tzinfo=None), past)
    return epoch_of(inventory.timezone, moment) - inventory.start


def _offset(sign: str | None, count: str | None, unit: str | None) -> int:
    if not count:
        return 0
    if not unit:
        scale = SECOND
    else:
        scale = next((scale for name, scale in _OFFSET_UNITS if name.startswith(unit)), 0)
        if not scale:
            raise ValueError(unit)
    return int(count) * scale * (-1 if sign == "-" else 1)


def _moment(text: str, here: datetime, past: bool) -> datetime:
    date_text, _, clock_text = text.replace("T", " ").partition(" ")
    date = _date(date_text, here)
    clock = _clock(clock_text if date else text.lower())
    if date is None and clock is None:
        raise ValueError(text)
    hour, minute, second = clock or (0, 0, 0)
    moment = (date or here).replace(hour=hour, minute=minute, second=second, microsecond=0)
    if date is None and moment < here and not past:
        moment += timedelta(days=1)
    return moment


def _date(text: str, here: datetime) -> datetime | None:
    if match := _ISO.fullmatch(text):
        return datetime(int(match[1]), int(match[2]), int(match[3]))
    if re.fullmatch(r"\d{6}", text):
        return datetime(2000 + int(text[4:]), int(text[:2]), int(text[2:4]))
    if match := _AMERICAN.fullmatch(text):
        year = int(match[3]) if match[3] else here.year
        return datetime(year + 2000 if year < 100 else year, int(match[1]), int(match[2]))
    return None


def _clock(text: str) -> tuple[int, int, int] | None:
    if text in _NAMED:
        return (*_NAMED[text], 0)
    match = _CLOCK.fullmatch(text.strip())
    if not match:
        if text:
            raise ValueError(text)
        return None
    hour = int(match[1]) % 12 + (12 if match[4] == "pm" else 0) if match[4] else int(match[1])
    if hour > 23 or int(match[2]) > 59 or int(match[3] or 0) > 59:
        raise ValueError(text)
    return hour, int(match[2]), int(match[3] or 0)

"""The time of a host as a program sees it: the site's zone or $TZ, the locale's way to write times, and seconds from
words.
"""

from __future__ import annotations

import re

from engine.commands.context import Context
from engine.commands.linux._support.strftime import Moment, american, format_time
from engine.kernel.calendar import zone_names
from engine.kernel.units import DAY, HOUR, MINUTE, SECOND

_SECONDS = re.compile(r"(\d*)(?:\.(\d*))?")
_SUFFIXES = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY}


def timezone(ctx: Context) -> str:
    """The zone in which this process shows times: $TZ if it names one, else the host's."""
    wanted = ctx.environment.get("TZ")
    if wanted is None:
        return ctx.inventory.timezone
    wanted = wanted.removeprefix(":")
    return wanted if wanted in zone_names() else "Etc/UTC"


def moment(ctx: Context, epoch: int | None = None) -> Moment:
    """`epoch` (ns since 1970; now if not given) as this process shows it."""
    return Moment(ctx.epoch if epoch is None else epoch, timezone(ctx), american(ctx.environment))


def shown(ctx: Context, epoch: int, pattern: str) -> str:
    """`epoch` formatted with strftime's directives."""
    return format_time(moment(ctx, epoch), pattern)


def seconds(text: str) -> int | None:
    """ns of a number of seconds such as `1.5`, or None."""
    match = _SECONDS.fullmatch(text)
    if not match or not (match[1] or match[2]):
        return None
    return int(match[1] or 0) * SECOND + int((match[2] or "")[:9].ljust(9, "0"))


def suffixed_seconds(text: str) -> int | None:
    """ns of `10`, `1.5m`, `2h`, `1d`, `inf` as sleep and timeout read them, or None."""
    if text.lower() in ("inf", "infinity"):
        return 10**6 * DAY
    unit = _SUFFIXES.get(text[-1:], 0)
    number = seconds(text[:-1] if unit else text)
    return None if number is None else number * (unit or SECOND) // SECOND

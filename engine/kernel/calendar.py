"""Local time: the one way from nanoseconds since 1970 to what a clock in a time zone shows.

Zone data come from the `tzdata` package and never from the host, so every machine shows the same.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from engine.kernel.units import MICROSECOND, SECOND

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def local(timezone: str, epoch: int) -> datetime:
    """The local time at `epoch` (ns since 1970), cut to microseconds. Raises BreakfixError for an unknown zone."""
    return utc(epoch).astimezone(zone(timezone))


def utc(epoch: int) -> datetime:
    """The same in UTC."""
    return _EPOCH + timedelta(microseconds=epoch // MICROSECOND)


def epoch_of(timezone: str, moment: datetime) -> int:
    """ns since 1970 of `moment`; one without a zone of its own is read as local time of `timezone`."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=zone(timezone))
    gone = aware.astimezone(UTC) - _EPOCH
    return (gone.days * 86_400 + gone.seconds) * SECOND + gone.microseconds * MICROSECOND


@cache
def zone(timezone: str) -> ZoneInfo:
    """The zone `timezone`, such as Europe/Berlin."""
    if timezone not in zone_names():
        raise BreakfixError(unknown("time zone", timezone, zone_names()))
    with files("tzdata").joinpath("zoneinfo", *timezone.split("/")).open("rb") as data:
        return ZoneInfo.from_file(data, timezone)


@cache
def zone_names() -> frozenset[str]:
    """All zones of the tzdata package."""
    return frozenset(files("tzdata").joinpath("zones").read_text("utf-8").split())

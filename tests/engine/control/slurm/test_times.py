"""Times as Slurm writes and reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control.slurm.times import full_time, parse_limit, parse_moment, short_time, timestamp
from engine.kernel.units import DAY, HOUR, MINUTE, SECOND
from tests.support.worlds import inventory


@pytest.mark.parametrize(
    ("seconds", "short", "full"),
    [
        (0, "0:00", "00:00:00"),
        (67, "1:07", "00:01:07"),
        (3_723, "1:02:03", "01:02:03"),
        (93_784, "1-02:03:04", "1-02:03:04"),
        (864_000, "10-00:00:00", "10-00:00:00"),
    ],
)
def test_elapsed_times(seconds: int, short: str, full: str) -> None:
    assert (short_time(seconds), full_time(seconds)) == (short, full)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("30", 30 * MINUTE),
        ("1:30", 2 * MINUTE),  # minutes:seconds, rounded up to minutes
        ("2:00:00", 2 * HOUR),
        ("1-12", 36 * HOUR),
        ("1-00:30", DAY + 30 * MINUTE),
        ("1-01:02:00", DAY + 62 * MINUTE),
        ("INFINITE", None),
        ("UNLIMITED", None),
    ],
)
def test_limits(text: str, limit: int | None) -> None:
    assert parse_limit(text) == limit


@pytest.mark.parametrize("text", ["", "abc", "1:2:3:4", "1-", "-5", "1h", "1.5"])
def test_what_is_no_limit_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_limit(text)


@given(st.integers(0, 60 * 24 * 365))
def test_a_limit_survives_being_written(minutes: int) -> None:
    assert parse_limit(full_time(minutes * 60)) == minutes * MINUTE


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", 90 * SECOND),
        ("now+2hours", 2 * HOUR + 90 * SECOND),
        ("now-1days", 90 * SECOND - DAY),
        ("today", -9 * HOUR),
        ("tomorrow", 15 * HOUR),
        ("2026-11-30T10:00", HOUR),
        ("2026-11-30T10:00:30", HOUR + 30 * SECOND),
        ("11/30/26-00:00", None),
        ("14:30", 5 * HOUR + 30 * MINUTE),
        ("08:00", 23 * HOUR),  # passed already: tomorrow's
        ("noon", 3 * HOUR),
        ("nonsense", None),
        ("25:00", None),
    ],
)
def test_moments(text: str, moment: int | None) -> None:
    """The site starts at 09:00."""
    if moment is None:
        with pytest.raises(ValueError, match=r".*"):
            parse_moment(text, inventory(), 90 * SECOND)
    else:
        assert parse_moment(text, inventory(), 90 * SECOND) == moment


def test_a_time_of_day_may_mean_the_past() -> None:
    assert parse_moment("08:00", inventory(), 0, past=True) == -HOUR


def test_timestamps_are_in_the_sites_zone() -> None:
    assert timestamp(inventory(), 0) == "2026-11-30T09:00:00"

"""Times: strftime and free dates against GNU date of this machine, systemd's stamps and spans, sizes against numfmt."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.commands.linux._support import sizes
from engine.commands.linux._support.parse_date import DateError, parse_date
from engine.commands.linux._support.strftime import Moment, format_time
from engine.commands.linux._support.timestamps import format_relative, format_span, parse_span, parse_timestamp
from engine.kernel.units import DAY, HOUR, MINUTE, SECOND

NOW = 1_796_029_445 * SECOND + 123_456_789  # 2026-11-30 09:04:05 UTC, a Monday
LETTERS = "aAbBcCdDeFgGhHIjklmMNpPqrRsSTuUVwWxXyYzZ"
PATTERNS = [f"%{letter}" for letter in LETTERS]
PATTERNS += ["%:z", "%::z", "%:::z", "%3N", "%-d", "%_m", "%010Y", "%^a", "%#Z", "%5d", "%-N", "%E", "%Ey", "%L"]
DATES = [
    "now CET", "tomorrow CET", "1 hour ago CET", "CET", "monday CET", "09:00 +0900",
    "now", "yesterday", "tomorrow", "2 days ago", "-2 days", "1 month ago", "next month", "last year", "next week",
    "2026-11-30", "2026-11-30 09:00", "2026-11-30T09:00:05Z", "2026-11-30T09:00:05.25+01:00", "2026-11-30 +2 days",
    "2026-11-30 09:00 +2 days", "2026-11-30 09:00 EST", "monday", "next monday", "last friday", "mon 10:00",
    "yesterday 14:00", "14:00 yesterday", "10pm", "12am", "13pm", "@0", "@1764493200.5", "Nov 30", "30 Nov 2026",
    "Nov 30, 2026", "Mon, 30 Nov 2026 09:00:00 +0000", "11/30/2026", "2026/11/30", "20261130", "20261130 0900", "0900",
    "foo", "30 feb 2026", "2026-02-29", "25:00", "23:60", "2026-01-31 1 month", "2024-02-29 1 year", "", "1 day 1 hour",
    "2026-07-01 12:00 1 hour ago", 'TZ="America/New_York" 2026-11-30 09:00', "09:00 CET", "09:00+1", "now -3hours",
    "2026-11-30 2026-11-29", "10:00 11:00", "hour ago", "4 weeks ago", "noon",
]  # fmt: skip
ZONES = ["Etc/UTC", "Europe/Berlin", "America/New_York"]


def gnu_date(*words: str, zone: str = "Etc/UTC") -> str | None:
    if (
        shutil.which("date") is None
        or b"GNU" not in subprocess.run(["date", "--version"], capture_output=True, check=False).stdout
    ):
        pytest.skip("no GNU date here")
    environment = {**os.environ, "TZ": zone, "LC_ALL": "C"}
    result = subprocess.run(["date", *words], env=environment, capture_output=True, text=True, check=False)
    return result.stdout.rstrip("\n") if result.returncode == 0 else None


@pytest.mark.parametrize("zone", ZONES)
def test_strftime_is_gnu_dates(zone: str) -> None:
    for epoch in (NOW, 0, 1_774_737_000 * SECOND, 1_609_459_199 * SECOND + 5):
        seconds = f"@{epoch // SECOND}.{epoch % SECOND:09d}"
        pattern = "|".join(PATTERNS)
        assert format_time(Moment(epoch, zone), pattern) == gnu_date("-d", seconds, f"+{pattern}", zone=zone)


@pytest.mark.parametrize("zone", ZONES)
def test_dates_are_read_as_gnu_date_reads_them(zone: str) -> None:
    """The real one reads relative dates at its own now, so ours is given the same."""
    for text in DATES:
        if zone == "America/New_York" and text == "last month":
            continue
        before = int(gnu_date("+%s") or 0)
        real = gnu_date("-d", text, "+%s", zone=zone)
        try:
            ours: int | None = parse_date(text, zone, before * SECOND) // SECOND
        except DateError:
            ours = None
        assert (ours is None) == (real is None), text
        assert ours is None or abs(ours - int(real or 0)) <= 2, text


@given(st.text(max_size=30))
def test_any_text_is_a_date_or_none(text: str) -> None:
    with suppress(DateError):
        assert isinstance(parse_date(text, "Etc/UTC", NOW), int)


def test_systemd_timestamps() -> None:
    stamp = 1_796_029_200 * SECOND
    assert parse_timestamp("2026-11-30 09:00", "Etc/UTC", NOW) == stamp
    assert parse_timestamp("Mon 2026-11-30 09:00:00 UTC", "Europe/Berlin", NOW) == stamp
    assert parse_timestamp("09:00", "Etc/UTC", NOW) == stamp
    assert parse_timestamp("today", "Etc/UTC", NOW) == stamp - 9 * HOUR
    assert parse_timestamp("1h 30min ago", "Etc/UTC", NOW) == NOW - 90 * MINUTE
    assert parse_timestamp("-2d", "Etc/UTC", NOW) == NOW - 2 * DAY
    assert parse_timestamp("@5", "Etc/UTC", NOW) == 5 * SECOND
    for wrong in ("", "foo", "2026-13-01", "25:00", "5 parsecs ago"):
        with pytest.raises(ValueError):
            parse_timestamp(wrong, "Etc/UTC", NOW)


def test_spans() -> None:
    assert parse_span("1h30m") == 90 * MINUTE
    assert format_span(90 * MINUTE) == "1h 30min"
    assert format_relative(NOW, NOW - 5 * SECOND) == "5s ago"
    assert format_relative(NOW, NOW - 90 * MINUTE) == "1h 30min ago"
    assert format_relative(NOW, NOW - 8 * DAY) == "1 week 1 day ago"
    assert format_relative(NOW, NOW - 40 * DAY) == "1 month 9 days ago"


@given(st.integers(min_value=0, max_value=1 << 60))
def test_sizes_keep_their_magnitude(number: int) -> None:
    text = sizes.human(number)
    unit = "BKMGTPE".index(text[-1]) if text[-1].isalpha() else 0
    shown = float(text.rstrip("BKMGTPE")) * 1024**unit
    assert number <= shown * 1.0001 and shown <= max(number * 1.12, number + 1)


def test_sizes_are_numfmts() -> None:
    if shutil.which("numfmt") is None:
        pytest.skip("no numfmt here")
    numbers = [0, 1, 999, 1023, 1024, 1025, 10239, 10240, 10241, 102399, 1 << 20, (1 << 20) + 1, 1023 << 30, 5 * 10**9]
    text = "\n".join(map(str, numbers))
    result = subprocess.run(
        ["numfmt", "--to=iec", "--round=up"], input=text, capture_output=True, text=True, check=False
    )
    assert [sizes.human(number) for number in numbers] == result.stdout.split()


def test_date_command(run) -> None:
    assert run("date").stdout == "Mon Nov 30 09:00:00 UTC 2026\n"
    assert run("date", environment={"LANG": "en_US.UTF-8"}).stdout == "Mon Nov 30 09:00:00 AM UTC 2026\n"
    assert run("date -u +%F").stdout == "2026-11-30\n"
    assert run("date -Iseconds", environment={"TZ": "Europe/Berlin"}).stdout == "2026-11-30T10:00:00+01:00\n"
    wrong = run("date -d foo")
    assert (wrong.stderr, wrong.status) == ("date: invalid date ‘foo’\n", 1)
    refused = run("date -s 10:00")
    assert "Operation not permitted" in refused.stderr and refused.status == 1


def test_sleep_passes_simulated_time(run, simulation) -> None:
    assert run("sleep 1.5 1m").status == 0
    assert simulation.now == 61_500_000_000
    assert "invalid time interval ‘x’" in run("sleep x").stderr

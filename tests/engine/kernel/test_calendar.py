"""Local time comes from the tzdata package and nowhere else."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.calendar import epoch_of, local, zone_names
from engine.kernel.errors import BreakfixError
from engine.kernel.units import MICROSECOND, SECOND


def test_summer_time_begins_and_ends() -> None:
    winter = epoch_of("Europe/Berlin", datetime(2026, 3, 29, 1, 59, 59))
    assert local("Europe/Berlin", winter).strftime("%H:%M:%S %Z") == "01:59:59 CET"
    assert local("Europe/Berlin", winter + SECOND).strftime("%H:%M:%S %Z") == "03:00:00 CEST"


def test_the_zone_decides_and_not_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert local("Etc/UTC", 0).isoformat() == "1970-01-01T00:00:00+00:00"
    assert local("America/New_York", 0).isoformat() == "1969-12-31T19:00:00-05:00"


def test_an_unknown_zone_names_its_neighbours() -> None:
    with pytest.raises(BreakfixError, match="Europe/Berlin"):
        local("Europe/Berlni", 0)


@given(st.integers(-(10**18), 4 * 10**18), st.sampled_from(sorted(zone_names())))
def test_there_and_back(epoch: int, timezone: str) -> None:
    assert epoch_of("Etc/UTC", local(timezone, epoch)) == epoch // MICROSECOND * MICROSECOND

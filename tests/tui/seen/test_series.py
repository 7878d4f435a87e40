"""Numbers over time come from what was read, one point a look."""

from __future__ import annotations

import pytest

from engine.kernel.units import MINUTE, SECOND
from tests.support.worlds import inventory
from tui.look.glyphs import State
from tui.seen.knowledge import Knowledge, Sighting
from tui.seen.series import MOST_POINTS, Readings


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("88 C", 88, "C"),
        ("350 W of 700 W", 350, "W"),
        ("0.15", 0.15, ""),
        ("-3 C", -3, "C"),
        ("1980 MHz", 1980, "MHz"),
        ("17 of 18 up", 17, ""),
    ],
)
def test_numbers_are_kept_with_their_unit(text: str, value: float, unit: str) -> None:
    readings = Readings()
    readings.take("dgx-01/gpu0", "temperature", text, MINUTE)
    (series,) = readings
    assert (series.last.value, series.unit, series.last.at) == (value, unit, MINUTE)


@pytest.mark.parametrize("text", ["listed", "590.48.01", "P0", "12 C or more"])
def test_words_are_not(text: str) -> None:
    readings = Readings()
    readings.take("dgx-01/gpu0", "pstate", text, MINUTE)
    readings.take("dgx-01/gpu0", "serial number", "1650000000001", MINUTE)
    assert readings.aspects == ()


def test_a_series_is_bounded_and_two_values_of_one_moment_are_one_point() -> None:
    readings = Readings()
    for second in range(MOST_POINTS + 10):
        readings.take("dgx-01/gpu0", "power", f"{second} W", second * SECOND)
    readings.take("dgx-01/gpu0", "power", "7 W", (MOST_POINTS + 9) * SECOND)
    (series,) = readings
    assert len(series.points) == MOST_POINTS and series.points[0].value == 10
    assert (series.last.value, series.least, series.most) == (7, 7, MOST_POINTS + 8)


def test_what_a_log_says_is_no_reading() -> None:
    knowledge = Knowledge(inventory())
    knowledge.note(Sighting("dgx-01/gpu0", "temperature", "60 C", State.OK, MINUTE, "dmesg", logged=True))
    assert knowledge.readings.aspects == ()
    knowledge.note(Sighting("dgx-01/gpu0", "temperature", "61 C", State.OK, MINUTE, "nvidia-smi"))
    assert knowledge.readings.of("temperature")["dgx-01/gpu0"].last.value == 61

"""Charts of characters: what is higher is drawn higher, and everything is in its width."""

from __future__ import annotations

import pytest

from tui.seen.series import Point
from tui.widgets.plot import chart, number, spark

RISING = [Point(at, float(at)) for at in range(0, 101, 10)]


def clock(at: int) -> str:
    return f"t{at}"


def test_numbers_are_short() -> None:
    assert [number(value) for value in (88.0, 0.5, 61.25, 1980.0)] == ["88", "0.5", "61.25", "1980"]


def test_a_spark_has_a_column_for_each_look_and_the_newest_are_kept() -> None:
    assert spark(RISING, 20, 0, 100) == "▁▂▂▃▄▅▅▆▇▇█"
    assert spark(RISING, 3, 0, 100) == "▇▇█"
    assert spark(RISING, 11, 0, 100, ascii_only=True) == "_..--==**##"
    assert spark([Point(0, 5.0)], 9, 5, 5) == "▁"


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(("columns", "rows"), [(30, 8), (80, 24), (12, 4)])
def test_a_chart_is_as_large_as_asked(columns: int, rows: int, ascii_only: bool) -> None:
    lines = chart(RISING, columns, rows, clock, ascii_only)
    assert len(lines) == rows and all(len(line) <= columns for line in lines)
    assert all(line.isascii() for line in lines) or not ascii_only


def test_values_stand_at_their_heights_and_times_below() -> None:
    lines = chart(RISING, 40, 12, clock, True)
    assert lines[0].startswith(" 100 |") and lines[9].startswith("   0 |")
    assert lines[0].rstrip().endswith("*") and lines[9][6] == "*"
    assert lines[-1].split() == ["t0", "t100"]


def test_what_hardly_moves_looks_so() -> None:
    flat = [Point(at, 61.0 + at % 2) for at in range(10)]
    drawn = chart(flat, 60, 22, clock, True)
    rows = [place for place, line in enumerate(drawn) if "*" in line]
    assert max(rows) - min(rows) <= 4
    alone = chart([Point(5, 70.0)], 40, 8, clock, False)
    assert alone[-1].split() == ["t5"]

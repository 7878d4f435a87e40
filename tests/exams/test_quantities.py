"""Numbers with units."""

from __future__ import annotations

from fractions import Fraction

import pytest

from engine.facts.values import COUNT, DURATION, QUANTITIES, Power, Share, Temperature
from engine.kernel.errors import BreakfixError
from exams.quantities import convert, exact, exact_text, fact_in_unit, number_text, read_quantity, require_unit


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("51.6 GB/s", "51.6", "GB/s"),
        ("  700W ", "700", "W"),
        ("-3", "-3", ""),
        (".5 %", ".5", "%"),
        ("1e3 nodes", "1e3", "nodes"),
        ("45 °C", "45", "°C"),
        ("155/3 GB/s", "155/3", "GB/s"),
    ],
)
def test_a_number_and_its_unit_are_read_as_they_are_written(text: str, number: str, unit: str) -> None:
    assert read_quantity(text) == (number, unit)


@pytest.mark.parametrize(
    "text", ["", "GB/s", "1,000", "1 000", "51,6 GB/s", "0x10", "nan", "1/0", "1/", "inf", "1e999", "9" * 50]
)
def test_what_is_no_number_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(BreakfixError, match="is not a number; write it like 51"):
        read_quantity(text)


@pytest.mark.parametrize(
    ("value", "unit", "wanted", "expected"),
    [
        ("0.7", "kW", "W", 700),
        ("400", "Gb/s", "GB/s", 50),
        ("400", "Gbps", "Gb/s", 400),
        ("1", "GiB", "MiB", 1024),
        ("2", "TB", "GB", 2000),
        ("90", "min", "h", Fraction(3, 2)),
        ("8", "", "GPUs", 8),
        ("8", "gpu", "GPUs", 8),
    ],
)
def test_units_of_the_same_kind_are_converted_exactly(value: str, unit: str, wanted: str, expected: Fraction) -> None:
    assert convert(exact(value), unit, wanted) == expected


@pytest.mark.parametrize(("unit", "wanted"), [("W", "GB/s"), ("gb/s", "GB/s"), ("nodes", "GPUs"), ("W", "")])
def test_other_units_are_refused(unit: str, wanted: str) -> None:
    assert convert(Fraction(1), unit, wanted) is None
    with pytest.raises(BreakfixError, match="is not the unit here; write the number"):
        require_unit(unit, wanted)


def test_a_float_is_the_number_that_was_written() -> None:
    assert exact(51.6) == Fraction(516, 10) and exact(3) == 3


def test_facts_come_in_the_unit_of_the_item() -> None:
    assert fact_in_unit(700_000, QUANTITIES[Power], "W") == 700
    assert fact_in_unit(700_000, QUANTITIES[Power], "kW") == Fraction(7, 10)
    assert fact_in_unit(45_500, QUANTITIES[Temperature], "C") == Fraction(91, 2)
    assert fact_in_unit(995, QUANTITIES[Share], "%") == Fraction(199, 2)
    assert fact_in_unit(90 * 10**9, DURATION, "min") == Fraction(3, 2)
    assert fact_in_unit(8, COUNT, "GPUs") == 8
    with pytest.raises(BreakfixError, match=r"gives a power.*give `unit: W, mW or kW`"):
        fact_in_unit(1, QUANTITIES[Power], "GB")


def test_numbers_for_people() -> None:
    assert [number_text(exact(one)) for one in ("700", "51.60", "0.05")] == ["700", "51.6", "0.05"]
    assert number_text(Fraction(1, 3)) == "0.333333" and exact_text(Fraction(1, 3)) == "1/3"

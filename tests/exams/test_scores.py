"""Shares and their intervals."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exams.marking import Mark
from exams.scores import Score, readiness, score, wilson


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_an_interval_lies_around_its_share_and_between_0_and_1(found: tuple[int, int]) -> None:
    right, n = found
    low, high = wilson(right / n, n)
    assert 0 <= low <= right / n + 1e-12 and right / n - 1e-12 <= high <= 1


def test_wilson_of_eight_of_ten() -> None:
    assert wilson(0.8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def points(right: int, n: int) -> Score:
    return score([Mark(Fraction(1))] * right + [Mark(Fraction(0))] * (n - right))


def test_readiness_weighs_domains_as_the_exam_does() -> None:
    found = readiness([(80, points(1, 10)), (20, points(10, 10))])
    assert found is not None and found.estimate == pytest.approx(0.28) and found.weight == 100
    assert found.low < 0.28 < found.high


def test_items_in_proportion_count_for_what_they_are() -> None:
    found = readiness([(60, points(6, 12)), (40, points(4, 8))])
    assert found is not None and (found.low, found.high) == pytest.approx(wilson(0.5, 20))
    lopsided = readiness([(60, points(1, 2)), (40, points(9, 18))])
    assert lopsided is not None and lopsided.high - lopsided.low > found.high - found.low


def test_domains_without_items_are_left_out() -> None:
    found = readiness([(38, points(3, 4)), (62, points(0, 0))])
    assert found is not None and (found.estimate, found.weight) == (0.75, 38)
    assert readiness([(38, points(0, 0))]) is None


def test_few_items_are_said_to_be_few() -> None:
    assert points(0, 0).note == "no items" and points(0, 0).share is None
    assert points(1, 1).note == "only 1 item: too few to tell"
    assert points(5, 7).note == "only 7 items: too few to tell" and points(5, 8).note == ""

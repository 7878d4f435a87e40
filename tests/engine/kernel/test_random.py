"""Streams: reproducible, independent, uniform, and the same on every platform."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.random import Stream, hash64


def test_values_are_fixed_for_ever() -> None:
    """These numbers are in saved sessions: they may never change."""
    stream = Stream(1, "a/b/c")
    assert [stream.integer(0, 99) for _ in range(6)] == [13, 78, 2, 22, 20, 29]
    assert hash64("x", 1) == 0x9D8E52C806FB31E7


@given(st.integers(0, 2**63), st.text(max_size=20), st.integers(-50, 50), st.integers(0, 100))
def test_integers_stay_in_range(seed: int, name: str, low: int, span: int) -> None:
    stream = Stream(seed, name)
    assert all(low <= stream.integer(low, low + span) <= low + span for _ in range(20))


def test_names_do_not_disturb_each_other() -> None:
    alone = [Stream(3, "a").integer(0, 10**9) for _ in range(1)]
    other = Stream(3, "b")
    other.integer(0, 5)
    assert [Stream(3, "a").integer(0, 10**9)] == alone
    assert Stream(3, "a").bits() != Stream(3, "b").bits() != Stream(4, "b").bits()


@given(st.lists(st.integers(), max_size=30))
def test_shuffling_keeps_everything(items: list[int]) -> None:
    assert sorted(Stream(1, "s").shuffled(items)) == sorted(items)


def test_draws_are_uniform() -> None:
    stream = Stream(5, "uniform")
    counts = [0] * 10
    for _ in range(20_000):
        counts[stream.integer(0, 9)] += 1
    assert all(1850 < count < 2150 for count in counts)


def test_an_empty_range_is_an_error() -> None:
    with pytest.raises(ValueError, match="empty range"):
        Stream(1, "x").integer(2, 1)

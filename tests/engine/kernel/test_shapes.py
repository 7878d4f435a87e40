"""The four shapes: values, integrals that add up, crossings that are crossings."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.shapes import Approach, Constant, Jitter, Linear, Shape, decay
from engine.kernel.units import SECOND

times = st.integers(0, 10_000 * SECOND)
levels = st.integers(-200_000, 200_000)
constants = st.integers(SECOND, 1_000 * SECOND)
approaches = st.builds(Approach, st.just(0), levels, levels, constants)
linears = st.builds(Linear, st.just(0), levels, st.integers(-500, 500), constants)
shapes: st.SearchStrategy[Shape] = st.one_of(st.builds(Constant, levels), approaches, linears)


@given(st.integers(0, 20 * SECOND), constants)
def test_decay_is_the_exponential(elapsed: int, constant: int) -> None:
    assert abs(decay(elapsed, constant) / 2**30 - math.exp(-elapsed / constant)) < 4e-5


@given(shapes, times, times, times)
def test_integrals_add_up(shape: Shape, a: int, b: int, c: int) -> None:
    first, middle, last = sorted((a, b, c))
    whole = shape.integral(first, last)
    assert abs(shape.integral(first, middle) + shape.integral(middle, last) - whole) <= 2 + abs(whole) // 10**8


@given(approaches, times)
def test_an_approach_stays_between_start_and_target(shape: Approach, time: int) -> None:
    low, high = sorted((shape.level, shape.target))
    assert low <= shape.value(time) <= high


@given(st.one_of(approaches, linears), levels, times)
def test_a_crossing_is_the_first_moment_on_the_other_side(shape: Shape, level: int, after: int) -> None:
    crossing = shape.next_crossing(level, after)
    if crossing is None:
        return
    before = shape.value(after) < level
    assert crossing > after
    assert (shape.value(crossing) >= level) if before else (shape.value(crossing) <= level)
    assert (shape.value(crossing - 1) < level) if before else (shape.value(crossing - 1) > level)


def test_an_approach_crosses_what_lies_on_its_way() -> None:
    shape = Approach(0, 30_000, 90_000, 60 * SECOND)
    crossing = shape.next_crossing(85_000, 0)
    assert crossing is not None
    assert abs(crossing / SECOND - 60 * math.log(12)) < 0.1
    assert shape.next_crossing(95_000, 0) is None


def test_jitter_is_the_same_for_all_who_look_in_one_bucket_and_never_counts() -> None:
    jitter = Jitter(7, "dgx-01/gpu0/power", 500, SECOND)
    values = [jitter.value(second * SECOND) for second in range(2000)]
    assert jitter.value(5 * SECOND + 1) == values[5]
    assert max(values) <= 500 and min(values) >= -500 and len(set(values)) > 500
    assert abs(sum(values)) < 2000 * 25
    assert jitter.integral(0, 10**12) == 0

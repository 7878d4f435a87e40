"""Positions: exact over any changes of pace, and back from a position to its time."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.units import MILLISECOND, SECOND
from engine.workloads.training import progress
from engine.world.records import TrainingConfiguration, TrainingRegime, TrainingRun
from engine.world.records.training import UNIT

_PLAN = TrainingConfiguration(10**9, 24, 2048, 4096, checkpoint_interval=100)
_PACES = st.lists(st.tuples(st.integers(1, 10**13), st.one_of(st.none(), st.integers(10**8, 10**10))), max_size=8)


def run_of(*paces: tuple[int, int | None], interval: int = 100, first: int = 0) -> TrainingRun:
    """A run with regimes of (ns, step time)."""
    plan = replace(_PLAN, checkpoint_interval=interval)
    regimes: list[TrainingRegime] = []
    since, position = 0, progress.after_checkpoint(first, interval)
    for lasts, step in paces:
        regimes.append(TrainingRegime(since, position, step, saving=8 * SECOND))
        position = progress.position_at(regimes[-1], interval, since + lasts)
        since += lasts
    return TrainingRun(plan, 0, ("dgx-01",), 8, first_step=first, regimes=tuple(regimes))


def test_steps_take_their_time_and_checkpoints_hold_them_up() -> None:
    run = run_of((3600 * SECOND, 2 * SECOND))
    assert progress.steps_done(run, 199 * SECOND) == 99
    assert progress.steps_done(run, 200 * SECOND) == 100
    assert progress.steps_done(run, 209 * SECOND) == 100
    assert progress.last_saved(run, 207 * SECOND) == 0
    assert progress.last_saved(run, 208 * SECOND) == 100
    assert progress.steps_done(run, 210 * SECOND) == 101


def test_a_change_of_pace_keeps_what_was_done_of_a_step() -> None:
    run = run_of((21 * SECOND, 2 * SECOND), (1 * SECOND, None), (100 * SECOND, 4 * SECOND))
    assert progress.steps_done(run, 21 * SECOND) == 10
    assert progress.steps_done(run, 23 * SECOND) == 10
    assert progress.steps_done(run, 24 * SECOND + MILLISECOND) == 11


def test_nothing_is_done_before_a_run_begins_and_after_it_ends() -> None:
    run = replace(run_of((100 * SECOND, SECOND)), ended=10 * SECOND)
    assert progress.steps_done(run, -5 * SECOND) == 0
    assert progress.steps_done(run, 50 * SECOND) == 10


@given(_PACES, st.integers(0, 10**14), st.integers(0, 500))
def test_looking_more_often_changes_nothing(paces: list[tuple[int, int | None]], time: int, first: int) -> None:
    """A regime that is cut in two, with the same pace after the cut, comes to the same place but for rounding."""
    run = run_of(*paces, (10**15, SECOND), first=first)
    now = progress.regime_at(run, time)
    position = progress.position_at(now, 100, time)
    cut = replace(now, since=time, position=position)
    later = time + 10**12
    assert abs(progress.position_at(cut, 100, later) - progress.position_at(now, 100, later)) <= 32
    assert position >= progress.after_checkpoint(first, 100)


@given(st.integers(0, 5000), st.sampled_from([0, 1, 7, 100]), st.integers(10**8, 10**11))
def test_a_step_is_done_when_it_is_said_to_be(step: int, interval: int, pace: int) -> None:
    regime = TrainingRegime(17, 0, pace, saving=3 * SECOND)
    done = progress.time_of(regime, interval, progress.position_of(step, interval))
    assert done is not None
    assert progress.steps_at(progress.position_at(regime, interval, done + 10), interval) >= step
    if step:
        before = progress.position_at(regime, interval, done - pace // 1000 - 10)
        assert progress.steps_at(before, interval) < step


@given(st.integers(0, 10_000), st.sampled_from([0, 1, 7, 100]))
def test_positions_count_steps_and_checkpoints(step: int, interval: int) -> None:
    position = progress.position_of(step, interval)
    assert progress.steps_at(position, interval) == step
    assert position % UNIT == 0
    after = progress.after_checkpoint(step, interval)
    assert progress.steps_at(after, interval) == step
    if interval and step and step % interval == 0:
        assert progress.saved_at(position, interval) == step - interval
        assert progress.saved_at(after, interval) == step

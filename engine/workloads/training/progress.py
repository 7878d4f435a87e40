"""Where a run stands: steps done at a time, and when a step is done, from its regimes alone.

A position counts UNIT for each step and UNIT for each checkpoint, which follows every `checkpoint_interval` steps. In a
regime steps and checkpoints take constant time, so a position is a function of the time and back, in whole numbers. A
change of regime keeps the position: no step is lost or won, however often the pace changes.
"""

from __future__ import annotations

from engine.world.records import TrainingRegime, TrainingRun
from engine.world.records.training import UNIT


def position_of(step: int, interval: int) -> int:
    """The position at which `step` is done, before its checkpoint, if one follows."""
    if not interval or step <= 0:
        return max(step, 0) * UNIT
    blocks, rest = divmod(step - 1, interval)
    return (blocks * (interval + 1) + rest + 1) * UNIT


def after_checkpoint(step: int, interval: int) -> int:
    """The position at which the next step after `step` begins."""
    saves = interval and step and step % interval == 0
    return position_of(step, interval) + (UNIT if saves else 0)


def steps_at(position: int, interval: int) -> int:
    """Whole steps that are done at a position."""
    if not interval:
        return position // UNIT
    blocks, rest = divmod(position, (interval + 1) * UNIT)
    return blocks * interval + min(rest // UNIT, interval)


def saved_at(position: int, interval: int) -> int:
    """The step that the last complete checkpoint keeps at a position; 0 for none."""
    return position // ((interval + 1) * UNIT) * interval if interval else 0


def position_at(regime: TrainingRegime, interval: int, time: int) -> int:
    """The position in a regime at a time, which may lie before it begins."""
    elapsed = time - regime.since
    if regime.step is None or elapsed <= 0:
        return regime.position
    return max(regime.position, _reached(regime, interval, _needed(regime, interval, regime.position) + elapsed))


def time_of(regime: TrainingRegime, interval: int, position: int) -> int | None:
    """When a position is reached if the regime goes on; None where it stands still."""
    if position <= regime.position:
        return regime.since
    if regime.step is None:
        return None
    needed = _needed(regime, interval, position) - _needed(regime, interval, regime.position)
    return regime.since + needed + 1


def _needed(regime: TrainingRegime, interval: int, position: int) -> int:
    """ns from the very first step to a position at the regime's pace."""
    assert regime.step is not None
    if not interval:
        return position * regime.step // UNIT
    blocks, rest = divmod(position, (interval + 1) * UNIT)
    steps = min(rest, interval * UNIT)
    block = interval * regime.step + regime.saving
    return blocks * block + steps * regime.step // UNIT + (rest - steps) * regime.saving // UNIT


def _reached(regime: TrainingRegime, interval: int, needed: int) -> int:
    """The position after so many ns from the very first step."""
    assert regime.step is not None
    if not interval:
        return needed * UNIT // regime.step
    blocks, rest = divmod(needed, interval * regime.step + regime.saving)
    steps = min(rest, interval * regime.step)
    saving = (rest - steps) * UNIT // regime.saving if regime.saving else 0
    return blocks * (interval + 1) * UNIT + steps * UNIT // regime.step + saving


def regime_at(run: TrainingRun, time: int) -> TrainingRegime:
    """The regime that held at a time: the first one before any."""
    return next((each for each in reversed(run.regimes) if each.since <= time), run.regimes[0])


def position(run: TrainingRun, time: int) -> int:
    """The position of a run at a time; that of its end after it."""
    until = time if run.ended is None else min(time, run.ended)
    return position_at(regime_at(run, until), run.configuration.checkpoint_interval, until)


def steps_done(run: TrainingRun, time: int) -> int:
    """Whole steps that are done at a time, counted from the model's first."""
    return steps_at(position(run, time), run.configuration.checkpoint_interval)


def last_saved(run: TrainingRun, time: int) -> int:
    """The step of the last complete checkpoint at a time."""
    return max(run.first_step, saved_at(position(run, time), run.configuration.checkpoint_interval))

"""The session's clock: wall time becomes simulated time once, whoever spends it."""

from __future__ import annotations

import asyncio

from engine.kernel.units import SECOND
from tui.live.clock import SessionClock


class Wall:
    """A wall clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_wall_time_is_collected_and_spent_once() -> None:
    wall = Wall()
    clock = SessionClock(wall)
    wall.now += 2
    assert clock.unspent == 2 * SECOND
    clock.spend(2 * SECOND)
    assert clock.unspent == 0


def test_speed_counts_from_the_moment_it_is_set() -> None:
    wall = Wall()
    clock = SessionClock(wall)
    wall.now += 1
    clock.set_rate(10)
    wall.now += 1
    assert clock.unspent == 11 * SECOND


def test_a_pause_lets_no_time_pass() -> None:
    wall = Wall()
    clock = SessionClock(wall)
    clock.set_paused(True)
    wall.now += 3
    clock.set_paused(False)
    assert clock.unspent == 0


def test_a_suspended_machine_does_not_count() -> None:
    wall = Wall()
    clock = SessionClock(wall)
    wall.now += 3600
    assert clock.unspent == 0
    wall.now += 1
    assert clock.unspent == SECOND


def test_a_running_command_goes_on_as_far_as_the_wall_has_come_and_never_beyond_its_target() -> None:
    wall = Wall()
    clock = SessionClock(wall)
    wall.now += 2
    assert asyncio.run(clock.step(0, 5 * SECOND)) == 2 * SECOND
    wall.now += 4
    assert asyncio.run(clock.step(2 * SECOND, 5 * SECOND)) == 5 * SECOND
    assert clock.unspent == SECOND


def test_a_paused_command_waits() -> None:
    wall = Wall()
    clock = SessionClock(wall)
    clock.set_paused(True)
    assert asyncio.run(clock.step(7, 9)) == 7

"""Replay: step by step, by itself, and beside the reference path."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.kernel.units import SECOND
from tests.support.frame import shown
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.live import sandbox
from tui.live.transcript import Moment
from tui.opening import Opening
from tui.screens.replay import EMPTY, Replay
from tui.settings import Settings
from tui.widgets.rows import Row

TOLD = [
    Moment(1 * SECOND, 2 * SECOND, 1, "alex@head-01:~$ ", "sinfo", "first output\n"),
    Moment(3 * SECOND, 3 * SECOND, 1, "", "noted: a note"),
    Moment(4 * SECOND, 9 * SECOND, 2, "alex@head-01:~$ ", "squeue", "\x1b[31mlast output\x1b[0m\n"),
]
Act = Callable[[Pilot[Any], Replay], Awaitable[object]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def replayed(act: Act, told: Sequence[Moment] = TOLD, size: tuple[int, int] = (80, 24)) -> None:
    async def run() -> None:
        live = await sandbox.begin(Opening("dgx-h100-4", 1))
        app = Breakfix(settings=Settings())
        async with app.run_test(size=size) as pilot:
            await at_home(pilot)
            screen = Replay(live, told, [Row("the reference path")])
            await app.push_screen(screen)
            await pilot.pause()
            await act(pilot, screen)
        live.close()

    asyncio.run(run())


def test_it_goes_on_and_back_a_moment_at_a_time() -> None:
    async def act(pilot: Pilot[Any], screen: Replay) -> None:
        assert "1 of 3" in shown(pilot.app) and "first output" in shown(pilot.app)
        await pilot.press("right", "right")
        assert "[noted: a note]" in shown(pilot.app) and "last output" in shown(pilot.app)
        assert "terminal 2" in shown(pilot.app)
        await pilot.press("right")  # there is no more
        assert screen.shown == 3
        await pilot.press("left")
        assert "last output" not in shown(pilot.app) and "2 of 3" in shown(pilot.app)
        await pilot.press("home")
        assert screen.shown == 1
        await pilot.press("end")
        assert screen.shown == 3

    replayed(act)


def test_it_plays_by_itself_to_its_end_and_once_more() -> None:
    async def act(pilot: Pilot[Any], screen: Replay) -> None:
        await pilot.press("+", "+", "space")
        assert screen.playing
        for _ in range(100):
            if screen.shown == 3 and not screen.playing:
                break
            await pilot.pause(0.05)
        assert screen.shown == 3 and not screen.playing
        await pilot.press("space")
        assert screen.shown == 1 and screen.playing
        await pilot.press("space")
        assert not screen.playing

    replayed(act)


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
def test_the_reference_stands_beside_it_where_there_is_room(size: tuple[int, int]) -> None:
    async def act(pilot: Pilot[Any], screen: Replay) -> None:
        assert ("the reference path" in shown(pilot.app)) == (size[0] >= 130)

    replayed(act, size=size)


def test_of_nothing_it_says_so() -> None:
    async def act(pilot: Pilot[Any], screen: Replay) -> None:
        assert EMPTY in shown(pilot.app)
        await pilot.press("space", "left", "right", "end")
        assert screen.shown == 0

    replayed(act, ())

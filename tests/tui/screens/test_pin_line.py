"""Choosing a row of a full-screen program's picture."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.frame import frame, shown
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.screens.pin_line import PinLine
from tui.settings import Settings
from tui.widgets.pick_list import PickList

ROWS = ["", "top - [up] 3 days", "", "  4711 ops  python  ", "", ""]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def chosen(act: Callable[[Pilot[Any]], Awaitable[object]], rows: list[str] = ROWS) -> list[str | None]:
    """What the dialog gave after `act`; empty while it is open."""
    results: list[str | None] = []

    async def run() -> None:
        app = Breakfix(settings=Settings())
        async with app.run_test(size=(80, 24)) as pilot:
            await at_home(pilot)
            app.push_screen(PinLine(rows), results.append)
            await pilot.pause()
            await act(pilot)
            await pilot.pause()

    asyncio.run(run())
    return results


def test_the_arrows_choose_among_the_rows_that_have_a_text() -> None:
    assert chosen(lambda pilot: pilot.press("enter")) == ["top - [up] 3 days"]
    assert chosen(lambda pilot: pilot.press("down", "down", "enter")) == ["  4711 ops  python"]


def test_a_double_click_chooses() -> None:
    assert chosen(lambda pilot: pilot.click(PickList, offset=(5, 3), times=2)) == ["  4711 ops  python"]


def test_escape_chooses_nothing_and_so_does_enter_on_an_empty_picture() -> None:
    assert chosen(lambda pilot: pilot.press("escape")) == [None]
    assert chosen(lambda pilot: pilot.press("enter"), ["", ""]) == []


def test_the_rows_are_shown_as_they_are() -> None:
    async def look(pilot: Pilot[Any]) -> None:
        assert "Pin a line" in shown(pilot.app) and "top - [up] 3 days" in shown(pilot.app)
        above, below = (
            next(y for y, row in enumerate(frame(pilot.app)) if text in row) for text in ("[up]", "4711 ops")
        )
        assert below - above == 2

    assert chosen(look) == []

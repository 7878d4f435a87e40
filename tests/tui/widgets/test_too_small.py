"""A window that is too small."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.geometry import Size

from tests.support.frame import shown
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.screens.home import Home
from tui.widgets.dialog import Dialog
from tui.widgets.too_small import TooSmall, fits


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def test_what_fits() -> None:
    assert fits(Size(80, 24)) and fits(Size(200, 60))
    assert not fits(Size(79, 24)) and not fits(Size(80, 23))


def test_it_says_how_large_the_window_has_to_be_and_goes_when_it_is() -> None:
    async def run() -> None:
        app = Breakfix()
        async with app.run_test(size=(80, 24)) as pilot:
            await at_home(pilot)
            below = app.screen
            await pilot.resize_terminal(72, 20)
            assert isinstance(app.screen, TooSmall)
            assert "80x24 is the least; this is 72x20." in shown(app)
            await pilot.resize_terminal(60, 10)
            assert "this is 60x10." in shown(app)
            assert len(app.screen_stack) == app.screen_stack.index(app.screen) + 1
            await pilot.resize_terminal(90, 30)
            assert app.screen is below

    asyncio.run(run())


@pytest.mark.parametrize("size", [(1, 1), (1, 24), (200, 1), (79, 24)])
def test_no_size_is_a_fault(size: tuple[int, int]) -> None:
    async def run() -> None:
        app = Breakfix()
        async with app.run_test(size=size) as pilot:
            await at_home(pilot)
            assert isinstance(app.screen, TooSmall)
            await pilot.resize_terminal(80, 24)
            assert isinstance(app.screen, Home)

    asyncio.run(run())


def test_what_opens_over_it_leaves_nothing_behind() -> None:
    async def run() -> None:
        app = Breakfix()
        async with app.run_test(size=(80, 24)) as pilot:
            await at_home(pilot)
            await pilot.resize_terminal(40, 10)
            dialog: Dialog[None] = Dialog()
            await app.push_screen(dialog)
            await pilot.resize_terminal(80, 24)
            await pilot.pause(0.1)
            assert app.screen is dialog, app.screen_stack
            await pilot.press("escape")
            await pilot.pause()
            assert isinstance(app.screen, Home)

    asyncio.run(run())

"""The context menu stands at the mouse, within the screen, and gives what was chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.geometry import Offset, Size
from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.support.frame import frame
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.screens.context_menu import ContextMenu, place
from tui.settings import Settings

ITEMS = [("copy", "Copy"), ("pin", "Pin [this] line"), ("open", "Open a terminal there")]
SIZES = [(80, 24), (120, 36), (200, 60)]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def chosen(
    act: Callable[[Pilot[Any]], Awaitable[object]],
    at: tuple[int, int] = (10, 5),
    size: tuple[int, int] = (80, 24),
    glyphs: str = "unicode",
) -> list[str | None]:
    """What the menu gave after `act`; empty while it is open."""
    results: list[str | None] = []

    async def run() -> None:
        app = Breakfix(settings=Settings.model_validate({"glyphs": glyphs}))
        async with app.run_test(size=size) as pilot:
            await at_home(pilot)
            app.push_screen(ContextMenu(ITEMS, *at), results.append)
            await pilot.pause()
            await act(pilot)
            await pilot.pause()

    asyncio.run(run())
    return results


def test_it_never_leaves_the_screen() -> None:
    screen = Size(80, 24)
    assert place(20, 5, Offset(10, 5), screen) == Offset(10, 5)
    assert place(20, 5, Offset(79, 23), screen) == Offset(60, 18)
    assert place(200, 50, Offset(3, 3), screen) == Offset(0, 0)


@pytest.mark.parametrize("size", SIZES)
def test_in_the_corner_all_of_it_is_shown(size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[Any]) -> None:
        region = pilot.app.screen.query_one(OptionList).region
        assert region.right <= size[0] and region.bottom <= size[1] - 1
        painted = "\n".join(frame(pilot.app))
        assert all(title in painted for _, title in ITEMS)

    assert chosen(look, (size[0] - 1, size[1] - 1), size) == []


def test_arrows_and_enter() -> None:
    assert chosen(lambda pilot: pilot.press("down", "enter")) == ["pin"]


def test_escape_closes_it() -> None:
    assert chosen(lambda pilot: pilot.press("escape")) == [None]


def test_a_click_chooses() -> None:
    assert chosen(lambda pilot: pilot.click(OptionList, offset=(4, 3))) == ["open"]


def test_a_click_beside_it_closes_it_and_nothing_else() -> None:
    async def act(pilot: Pilot[Any]) -> None:
        below = pilot.app.screen_stack[-2]
        await pilot.click(offset=(60, 20))
        await pilot.pause()
        assert pilot.app.screen is below

    assert chosen(act) == [None]

"""A line for several hosts at once: panes that are typed in together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.support.frame import shown
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.live import sandbox
from tui.opening import Opening
from tui.screens.workspace import Workspace
from tui.settings import Settings


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def on_workspace(act: Callable[[Pilot[None], Workspace], Awaitable[None]], settings: Settings | None = None) -> None:
    async def run() -> None:
        app = Breakfix(settings=settings or Settings())
        async with app.run_test(size=(160, 50)) as pilot:
            await at_home(pilot)
            screen = Workspace(await sandbox.begin(Opening("dgx-h100-4", 1)))
            await app.push_screen(screen)
            await pilot.pause(0.1)
            await act(pilot, screen)
            screen.leaving()

    asyncio.run(run())


async def idle(pilot: Pilot[None], screen: Workspace) -> None:
    await pilot.pause(0.1)
    for _ in range(200):
        if not any(pane.seat.busy for pane in screen.area.panes):
            break
        await pilot.pause(0.05)
    await pilot.pause(0.1)


def test_a_list_of_hosts_opens_a_tab_in_which_a_line_goes_to_all() -> None:
    async def act(pilot: Pilot[None], screen: Workspace) -> None:
        await pilot.press("ctrl+b", "d")
        await pilot.pause()
        await pilot.press(*"dgx-[01-03]")
        await pilot.pause()
        assert "3 hosts side by side" in shown(pilot.app)
        await pilot.press("enter")
        await idle(pilot, screen)
        assert [pane.seat.host for pane in screen.area.tab.panes] == ["dgx-01", "dgx-02", "dgx-03"]
        await pilot.press(*"hostname", "enter")
        await idle(pilot, screen)
        assert [list(pane.seat.history)[-1:] for pane in screen.area.tab.panes] == [["hostname"]] * 3
        assert "(all alike)" in shown(pilot.app)
        await pilot.press("ctrl+b", "*")
        await pilot.press(*"uptime", "enter")
        await idle(pilot, screen)
        assert [list(pane.seat.history)[-1] for pane in screen.area.tab.panes] == ["uptime", "hostname", "hostname"]

    on_workspace(act)


def test_more_hosts_than_there_is_room_for_is_said() -> None:
    async def act(pilot: Pilot[None], screen: Workspace) -> None:
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        told: list[str] = []
        screen.area.notify = lambda message, **_: told.append(message)  # type: ignore[method-assign]
        await screen.area.open_hosts(["dgx-01", "dgx-02", "dgx-03", "dgx-04"] * 8)
        assert any("There is no room for" in text for text in told) and 1 < len(screen.area.tab.panes) < 32
        await idle(pilot, screen)

    on_workspace(act)


def test_keys_of_vim_move_between_panes() -> None:
    async def act(pilot: Pilot[None], screen: Workspace) -> None:
        await pilot.press("ctrl+b", "v")
        await idle(pilot, screen)
        left, right = screen.area.tab.panes
        assert screen.area.pane is right
        await pilot.press("ctrl+b", "h")
        assert screen.area.pane is left
        await pilot.press("ctrl+b", "l")
        assert screen.area.pane is right
        await pilot.press("ctrl+b", "c")
        await pilot.pause(0.1)
        assert screen.area.panes == [left]

    on_workspace(act, Settings(keys="vim"))

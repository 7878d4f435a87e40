"""The workspace: tabs, splits and the side column around real terminals."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.support.frame import frame, shown
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.live import drill, sandbox
from tui.live.live import Live
from tui.opening import Opening
from tui.played import results
from tui.screens.context_menu import ContextMenu
from tui.screens.map import MapScreen
from tui.screens.workspace import Workspace
from tui.store import saved_sessions
from tui.widgets.terminal_pane import TerminalPane
from tui.workspace.tab_bar import TabBar

OPENING = Opening("dgx-h100-4", 1)
Act = Callable[[Pilot[None], Workspace], Awaitable[None]]


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def on_workspace(act: Act, live: Callable[[], Awaitable[Live]], size: tuple[int, int] = (80, 24)) -> None:
    """Do something on a workspace."""

    async def run() -> None:
        app = Breakfix()
        async with app.run_test(size=size) as pilot:
            await at_home(pilot)
            screen = Workspace(await live())
            await app.push_screen(screen)
            await pilot.pause(0.1)
            await act(pilot, screen)
            screen.leaving()

    asyncio.run(run())


async def in_sandbox() -> Live:
    return await sandbox.begin(OPENING)


async def in_drill() -> Live:
    from tui.drills import scenario_named

    return await drill.begin(scenario_named("all-quiet"), "all-quiet", 1)


async def typed(pilot: Pilot[None], screen: Workspace, line: str) -> None:
    pane = screen.area.pane
    assert pane is not None
    pane.run_text(line)
    await pilot.pause(0.1)
    for _ in range(200):
        if not pane.seat.busy:
            break
        await pilot.pause(0.05)
    await pilot.pause(0.1)


def test_splits_and_tabs_come_back_as_they_were_and_closed_ones_stay_closed() -> None:
    async def arrange(pilot: Pilot[None], screen: Workspace) -> None:
        await typed(pilot, screen, "echo first")
        await pilot.press("ctrl+b", "vertical_line")
        await pilot.pause(0.1)
        await pilot.press("ctrl+b", "c")
        await pilot.pause(0.1)
        await pilot.press("ctrl+b", "c")
        await pilot.pause(0.1)
        assert len(screen.area.tabs) == 3
        await pilot.press("ctrl+b", "x")
        await pilot.pause(0.3)
        assert screen.area.layout_data() == [["side by side", 0.5, 1, 2], 3]

    async def again(pilot: Pilot[None], screen: Workspace) -> None:
        assert screen.area.layout_data() == [["side by side", 0.5, 1, 2], 3]
        assert "echo first" in shown(pilot.app)

    on_workspace(arrange, in_sandbox)
    on_workspace(again, lambda: sandbox.resume(saved_sessions("sandbox")[0]))


def test_the_last_terminal_begins_anew_once_when_it_is_closed_in_the_middle_of_something() -> None:
    async def act(pilot: Pilot[None], screen: Workspace) -> None:
        pane = screen.area.pane
        assert pane is not None
        pane.run_text("sleep 1000")
        await pilot.pause(0.3)
        await pilot.press("ctrl+b", "x")
        await pilot.pause(0.2)
        assert screen.area.panes == [pane], "it asks first"
        await pilot.press("ctrl+b", "x")
        await pilot.pause(0.5)
        assert len(screen.area.panes) == 1
        assert screen.area.panes != [pane]

    on_workspace(act, in_sandbox)


def test_a_click_on_a_tab_chooses_it_and_the_middle_button_closes_it() -> None:
    async def act(pilot: Pilot[None], screen: Workspace) -> None:
        bar = screen.query_one(TabBar)
        await pilot.click(bar, offset=(12, 0))
        await pilot.pause(0.2)
        assert [len(screen.area.tabs), screen.area.index] == [2, 1]
        await pilot.click(bar, offset=(2, 0))
        await pilot.pause(0.1)
        assert screen.area.index == 0
        await pilot.click(bar, offset=(14, 0), button=2)
        await pilot.pause(0.3)
        assert len(screen.area.tabs) == 1

    on_workspace(act, in_sandbox)


def test_on_a_narrow_screen_a_new_drill_shows_its_briefing_and_typing_leads_to_the_terminal() -> None:
    async def act(pilot: Pilot[None], screen: Workspace) -> None:
        assert "Briefing" in shown(pilot.app)
        await pilot.press("e", "c", "h", "o")
        await pilot.pause(0.2)
        assert "Briefing ─" not in shown(pilot.app)
        assert "$ echo" in shown(pilot.app)

    on_workspace(act, in_drill)


def test_lines_are_pinned_one_by_one_and_those_of_a_running_command_when_it_has_ended() -> None:
    async def act(pilot: Pilot[None], screen: Workspace) -> None:
        await typed(pilot, screen, "printf 'one\\ntwo\\n'")
        await screen.drill.pin("one\ntwo")
        assert [pin.text for pin in screen.drill.pins] == ["one", "two"]
        pane = screen.area.pane
        assert pane is not None
        pane.run_text("echo three; sleep 100")
        await pilot.pause(0.5)
        assert "when the command has ended" in await screen.drill.pin("three")
        pane.seat.interrupt()
        await pilot.pause(0.5)
        assert [pin.text for pin in screen.drill.pins] == ["one", "two", "three"]

    on_workspace(act, in_drill, (120, 36))


def test_two_right_clicks_at_once_open_one_menu() -> None:
    async def act(pilot: Pilot[None], screen: Workspace) -> None:
        pane = screen.area.pane
        assert pane is not None
        for _ in range(2):
            screen.on_terminal_pane_menu_wanted(TerminalPane.MenuWanted(pane, 5, 5))
        await pilot.pause(0.2)
        assert isinstance(pilot.app.screen, ContextMenu)
        await pilot.press("escape")
        await pilot.pause(0.1)
        assert pilot.app.screen is screen

    on_workspace(act, in_sandbox)


def test_a_name_in_the_output_leads_to_the_map() -> None:
    async def act(pilot: Pilot[None], screen: Workspace) -> None:
        await typed(pilot, screen, "echo see dgx-03 now")
        pane = screen.area.pane
        assert pane is not None
        row = max(number for number, line in enumerate(frame(pilot.app)) if line.startswith("see dgx-03 now"))
        await pilot.click(offset=(5, row), control=True)
        await pilot.pause(0.2)
        assert isinstance(pilot.app.screen, MapScreen) and pilot.app.screen.map.component == "dgx-03"
        await pilot.press("escape")
        await pilot.pause(0.1)
        await pilot.click(offset=(5, row), button=3)
        await pilot.pause(0.2)
        assert "Show dgx-03 on the map" in shown(pilot.app)
        await pilot.press("escape")
        await pilot.pause(0.1)
        await pilot.click(offset=(1, row), control=True)  # `see` means nothing
        await pilot.pause(0.2)
        assert pilot.app.screen is screen

    on_workspace(act, in_sandbox)


def test_a_result_is_remembered_once_however_often_it_is_handed_in() -> None:
    async def act(pilot: Pilot[None], screen: Workspace) -> None:
        await asyncio.gather(screen.drill.submit(), screen.drill.submit())
        await screen.drill.submit()
        assert [one.scenario for one in results()] == ["all-quiet"]

    on_workspace(act, in_drill)

"""The commands menu: what can be run, for which host, found by typing, taken by keyboard or by mouse."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Button, Input, OptionList

from tests.support.fast_keys import type_at_once
from tests.support.frame import frame, shown
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.live import sandbox
from tui.live.live import Live
from tui.opening import Opening
from tui.screens.commands_menu import CommandsMenu, LineField
from tui.settings import Settings

REBOOT = 'scontrol reboot ASAP nextstate=RESUME reason="under investigation" dgx-01'
SIZES = [(80, 24), (120, 36), (200, 60)]
Result = list[tuple[str, bool] | None]
Act = Callable[[Pilot[Any], Live], Awaitable[object]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def with_live(look: Callable[[Live], Awaitable[None]], host: str | None = None) -> None:
    """Do something with a sandbox."""

    async def run() -> None:
        live = await sandbox.begin(Opening("dgx-h100-4", 1, host=host))
        try:
            await look(live)
        finally:
            live.close()

    asyncio.run(run())


def menu(act: Act, size: tuple[int, int] = (80, 24), glyphs: str = "unicode") -> Result:
    """What the menu gave after `act`."""
    results: Result = []

    async def run(live: Live) -> None:
        app = Breakfix(settings=Settings.model_validate({"glyphs": glyphs}))
        async with app.run_test(size=size) as pilot:
            await at_home(pilot)
            app.push_screen(CommandsMenu(live, live.seat(1)), results.append)
            await painted(pilot)
            await act(pilot, live)
            await pilot.pause()

    with_live(run)
    return results


async def painted(pilot: Pilot[Any]) -> None:
    """Until the menu and what is in it has been drawn; on a loaded machine that takes several rounds."""
    for _ in range(200):
        await pilot.pause()
        if "Host:" in shown(pilot.app):
            break
        await asyncio.sleep(0.01)
    await pilot.pause()


def line(pilot: Pilot[Any]) -> str:
    return pilot.app.screen.query_one(LineField).text


def painted_in(pilot: Pilot[Any], part: Widget) -> str:
    """What is painted in a part of the screen, as words."""
    region = part.content_region
    rows = [row[region.x : region.right] for row in frame(pilot.app)[region.y : region.bottom]]
    return " ".join(" ".join(rows).split())


def test_by_keyboard_from_the_search_to_a_line_that_is_run() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        await pilot.press("s", "q", "u", "enter", "down", "enter", "enter")

    assert menu(act) == [("squeue -w dgx-01", True)]


def test_keys_pressed_at_once_count_in_their_order() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        await type_at_once(pilot, "squ", "<enter>")
        await pilot.press("enter", "enter")

    assert menu(act) == [("squeue", True)]


def test_what_is_typed_after_enter_is_no_part_of_the_line() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        field = pilot.app.screen.query_one(LineField)
        field.put("")
        field.focus()
        await pilot.pause()
        await type_at_once(pilot, "uptime", "<enter>", "quit")

    assert menu(act) == [("uptime", True)]


def test_a_changed_line_is_inserted() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        await pilot.press("l", "s", "c", "p", "enter", "enter", "space", "-", "e", "ctrl+b", "i")

    assert menu(act) == [("lscpu -e", False)]


def test_by_mouse_alone_for_another_host() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        await pilot.click("#host")
        await pilot.pause()
        await pilot.click("#hosts", offset=(3, 2))
        await pilot.pause()
        assert "Host: dgx-02" in shown(pilot.app)
        await pilot.click("#commands", offset=(3, 1))
        await pilot.pause()
        await pilot.click("#lines", offset=(3, 4))
        await pilot.pause()
        assert line(pilot) == "ssh dgx-02 nvidia-smi -q -d TEMPERATURE"
        await pilot.click("#run")

    assert menu(act) == [("ssh dgx-02 nvidia-smi -q -d TEMPERATURE", True)]


def test_the_button_is_as_wide_as_the_name_of_its_host() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        opened = pilot.app.screen
        assert isinstance(opened, CommandsMenu)
        opened.command = ""  # there is no such host whose lines could be shown
        opened._set_host("a-host-with-a-long-name")
        await pilot.pause()
        assert "Host: a-host-with-a-long-name" in shown(pilot.app)

    assert menu(act) == []


def test_the_function_keys_are_the_workspaces() -> None:
    assert not [key for one in CommandsMenu.actions() for key in one.keys if re.fullmatch(r"f\d+", key)]


def test_a_click_beside_it_does_not_lose_the_line() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        await pilot.click(offset=(0, 0))
        await pilot.pause()
        assert isinstance(pilot.app.screen, CommandsMenu)

    assert menu(act) == []


def test_the_insert_button() -> None:
    assert menu(lambda pilot, live: pilot.click("#insert")) == [("ssh dgx-01 nvidia-smi", False)]


def test_an_empty_line_is_not_taken() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        pilot.app.screen.query_one(LineField).put(" ")
        await pilot.press("ctrl+b", "r", "ctrl+b", "i")

    assert menu(act) == []


def test_a_busy_terminal_takes_no_line_to_run() -> None:
    results: Result = []

    async def run(live: Live) -> None:
        live.seat(1).busy = True
        app = Breakfix(settings=Settings())
        async with app.run_test() as pilot:
            await at_home(pilot)
            app.push_screen(CommandsMenu(live, live.seat(1)), results.append)
            await pilot.pause()
            assert pilot.app.screen.query_one("#run", Button).disabled
            await pilot.press("ctrl+b", "r", "ctrl+b", "i")

    with_live(run)
    assert results == [("ssh dgx-01 nvidia-smi", False)]


def test_the_search_looks_into_the_lines_and_shows_the_one_it_found() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        pilot.app.screen.query_one("#search", Input).value = "event log"
        await pilot.pause()
        assert "sudo ipmitool sel elist" in line(pilot)
        assert pilot.app.screen.query_one("#commands", OptionList).option_count < 5

    assert menu(act) == []


def test_all_summaries_are_known_after_a_while() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        opened = pilot.app.screen
        assert isinstance(opened, CommandsMenu)
        for _ in range(500):
            if opened.warmed:
                break
            await pilot.pause(0.02)
        assert set(opened.summaries) == set(opened.names)
        pilot.app.screen.query_one("#search", Input).value = "universally no such words"
        await pilot.pause()
        assert pilot.app.screen.query_one("#commands", OptionList).option_count == 0

    assert menu(act) == []


def test_what_is_learned_later_moves_nothing_under_the_hand() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        opened = pilot.app.screen
        assert isinstance(opened, CommandsMenu)
        opened.summaries = {}
        opened.query_one("#search", Input).value = "memory"
        await pilot.pause()
        commands = opened.query_one("#commands", OptionList)
        few = commands.option_count
        opened.query_one("#lines").focus()
        await pilot.pause()
        opened.summaries = {name: "about memory" for name in opened.names}
        opened._search_again()
        assert commands.option_count == few
        opened.query_one("#search").focus()
        await pilot.pause()
        opened._search_again()
        assert commands.option_count == len(opened.names) > few

    assert menu(act) == []


@pytest.mark.parametrize("size", SIZES)
def test_everything_is_in_view(size: tuple[int, int]) -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        painted = shown(pilot.app)
        for text in ("GPUs", "dcgmi", "nvidia-smi -L", "Insert", "Run", "Host: head-01"):
            assert text in painted
        about = painted_in(pilot, pilot.app.screen.query_one("#about"))
        assert about.endswith("head-01 has no nvidia-smi: these lines are for dgx-01.")
        assert pilot.app.screen.query_one(".dialog").max_scroll_y == 0

    assert menu(act, size) == []


def test_lines_that_change_something_say_what_and_where() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        pilot.app.screen.query_one("#search", Input).value = "scancel"
        await pilot.pause()
        assert shown(pilot.app).count("! changes job 48283: end a job") == 2  # in the list, and beside Run
        pilot.app.screen.query_one(LineField).put("scancel 48287")
        await pilot.pause()
        assert frame(pilot.app)[-5].count("! changes job 48287: end a job") == 1
        pilot.app.screen.query_one(LineField).put("squeue")
        await pilot.pause()
        assert "changes" not in frame(pilot.app)[-5]

    assert menu(act, glyphs="ascii") == []


@pytest.mark.parametrize("size", SIZES)
def test_a_long_line_can_be_read_in_whole(size: tuple[int, int]) -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        pilot.app.screen.query_one("#search", Input).value = "scontrol"
        await pilot.pause()
        entries = pilot.app.screen.query_one("#lines", OptionList)
        entries.highlighted = entries.get_option_index(REBOOT)
        await pilot.pause()
        field = pilot.app.screen.query_one(LineField)
        assert REBOOT in painted_in(pilot, entries)
        assert painted_in(pilot, field) == REBOOT
        assert not field.show_horizontal_scrollbar and not field.show_vertical_scrollbar
        search = pilot.app.screen.query_one("#search", Input)
        assert search.scrollbar_size_horizontal == 0 and search.content_size.height == 1

    assert menu(act, size, glyphs="ascii") == []


def test_twice_on_a_line_inserts_it() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        await pilot.click("#lines", offset=(3, 2), times=2)

    assert menu(act) == [("ssh dgx-01 nvidia-smi -L", False)]


def test_twice_beside_the_lines_does_nothing() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        await pilot.click("#about", times=2)
        pilot.app.screen.query_one("#search", Input).value = "arch"
        await pilot.pause()
        await pilot.click("#lines", offset=(3, 8), times=2)

    assert menu(act) == []


def test_why_nothing_can_be_run_is_said_and_ends_by_itself() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        opened, button = pilot.app.screen, pilot.app.screen.query_one("#run", Button)
        assert isinstance(opened, CommandsMenu)
        live.seat(1).busy = True
        opened._show_run()
        await pilot.pause()
        assert "Something runs" in shown(pilot.app) and button.disabled
        opened.query_one(LineField).focus()
        await pilot.press("enter")
        assert "\n" not in line(pilot)
        live.seat(1).busy = False
        opened._show_run()
        await pilot.pause()
        assert "Something runs" not in shown(pilot.app) and not button.disabled
        await pilot.click("#run")

    assert menu(act) == [("ssh dgx-01 nvidia-smi", True)]


def test_the_host_is_remembered_and_the_list_hangs_below_its_button() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        below = pilot.app.screen.query_one("#host").region
        await pilot.click("#host")
        await pilot.pause()
        box = pilot.app.screen.query_one(".dialog").region
        assert (box.right, box.y) == (below.right, below.bottom)
        await pilot.click("#hosts", offset=(3, 3))
        await pilot.pause()
        pilot.app.screen.query_one("#search", Input).value = "ipmitool"
        await pilot.pause()
        assert line(pilot).startswith("ssh dgx-03 sudo ipmitool ")
        assert "these lines are for" not in shown(pilot.app)
        await pilot.press("escape")
        pilot.app.push_screen(CommandsMenu(live, live.seat(1)))
        await pilot.pause()
        assert "Host: dgx-03" in shown(pilot.app)
        await pilot.click("#host")
        await pilot.pause()
        hosts = pilot.app.screen.query_one("#hosts", OptionList)
        assert [option.id for option in hosts.options][hosts.highlighted or 0] == "dgx-03"

    assert menu(act, (160, 50)) == [None]

"""The host picker: all hosts in the site's order, found by typing, chosen by Enter or by a click."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from tests.support import large_site
from tests.support.fast_keys import type_at_once
from tests.support.frame import frame, shown
from tests.support.screens import at_home
from tests.support.worlds import inventory
from tui.app import Breakfix
from tui.live import sandbox
from tui.live.live import Live
from tui.opening import Opening
from tui.screens.hosts import HostPicker, cut, fitting_hosts
from tui.settings import Settings

SIZES = [(80, 24), (120, 36), (200, 60)]
Act = Callable[[Pilot[Any]], Awaitable[object]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


async def picked(
    live: Live, act: Act, size: tuple[int, int] = (80, 24), glyphs: str = "unicode", **given: Any
) -> list[str | None]:
    """What the picker gave after `act`."""
    results: list[str | None] = []
    app = Breakfix(settings=Settings.model_validate({"glyphs": glyphs}))
    async with app.run_test(size=size) as pilot:
        await at_home(pilot)
        app.push_screen(HostPicker(live, **given), results.append)
        await pilot.pause()
        await act(pilot)
        await pilot.pause()
    return results


def pick(act: Act, lines: tuple[str, ...] = (), **options: Any) -> list[str | None]:
    """The same in a sandbox in which lines were run."""

    async def run() -> list[str | None]:
        live = await sandbox.begin(Opening("dgx-h100-4", 1))
        for line in lines:
            await live.run_line(1, line)
        try:
            return await picked(live, act, **options)
        finally:
            live.close()

    return asyncio.run(run())


def test_a_name_goes_before_a_rack() -> None:
    hosts = inventory().host_names
    assert fitting_hosts(inventory(), hosts, "") == list(hosts)
    assert fitting_hosts(inventory(), hosts, "DGX 3") == ["dgx-03"]
    assert fitting_hosts(inventory(), hosts, "compute r02") == ["dgx-03", "dgx-04"]
    assert fitting_hosts(inventory(), hosts, "nothing like it") == []


def test_a_text_is_cut_to_its_columns() -> None:
    assert cut("abc", 5, "~") == "abc  "
    assert cut("abcdef", 4, "~") == "abc~"
    assert cut("日本語", 4, "~") == "日 ~"


@pytest.mark.parametrize("size", SIZES)
def test_role_and_rack_are_shown_and_recent_hosts_are_marked_where_they_stand(size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[Any]) -> None:
        rows = [row for row in frame(pilot.app) if " R0" in row]
        assert [re.findall(r"(?:head|dgx)-\d+", row) for row in rows] == [
            ["head-01"],
            ["dgx-01"],
            ["dgx-02"],
            ["dgx-03"],
            ["dgx-04"],
        ]
        assert ["recent" in row for row in rows] == [True, False, False, True, False]
        assert "compute" in rows[3] and "R02" in rows[3]
        assert "5 of 5" in shown(pilot.app)

    assert pick(look, ("ssh dgx-03 uptime",), size=size) == []


def test_typing_and_enter() -> None:
    assert pick(lambda pilot: pilot.press("d", "g", "x", "down", "down", "enter")) == ["dgx-03"]


def test_keys_pressed_at_once_count_in_their_order() -> None:
    keys = ("dgx", "<down>", "<down>", "<enter>", "1")
    assert pick(lambda pilot: type_at_once(pilot, *keys)) == ["dgx-03"]


def test_enter_without_a_match_does_nothing() -> None:
    async def act(pilot: Pilot[Any]) -> None:
        await pilot.press("z", "enter")
        assert "0 of 5" in shown(pilot.app)

    assert pick(act) == []


def test_escape_gives_none() -> None:
    assert pick(lambda pilot: pilot.press("d", "escape")) == [None]


def test_a_click_chooses() -> None:
    assert pick(lambda pilot: pilot.click("#hosts", offset=(2, 4))) == ["dgx-04"]


def test_of_two_thousand_hosts_only_those_in_view_are_made() -> None:
    site = large_site.inventory()
    live: Any = SimpleNamespace(
        simulation=SimpleNamespace(world=SimpleNamespace(inventory=site)), play=SimpleNamespace(terminals=[])
    )

    async def act(pilot: Pilot[Any]) -> None:
        assert pilot.app.screen.query_one(OptionList).option_count == large_site.NODES + 1
        assert 5 < len(site._nodes) < 100
        await pilot.press("2", "0", "4", "7", "enter")

    assert asyncio.run(picked(live, act)) == ["dgx-2047"]


def test_it_begins_at_a_host_until_something_is_typed() -> None:
    assert pick(lambda pilot: pilot.press("enter"), at="dgx-03") == ["dgx-03"]
    assert pick(lambda pilot: pilot.press("g", "enter"), at="dgx-03") == ["dgx-01"]


@pytest.mark.parametrize("button", [Region(60, 2, 18, 1), Region(2, 20, 10, 1)])
def test_below_a_part_of_the_screen_it_is_whole(button: Region) -> None:
    async def act(pilot: Pilot[Any]) -> None:
        screen = pilot.app.screen
        assert screen.region.contains_region(screen.query_one(".dialog").region)
        assert "dgx-04" in shown(pilot.app) and "5 of 5" in shown(pilot.app)

    assert pick(act, below=button) == []


def test_the_field_has_no_scroll_bar() -> None:
    async def act(pilot: Pilot[Any]) -> None:
        pilot.app.screen.query_one(Input).insert_text_at_cursor("a long text that is wider than the field " * 2)
        await pilot.pause()
        assert "than the field" in shown(pilot.app)

    assert pick(act) == []

"""The views of what was seen: each leads to the others, and to the map."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.frame import shown
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.live import sandbox
from tui.opening import Opening
from tui.screens.alerts import Alerts
from tui.screens.charts import Charts
from tui.screens.fabric import FabricMap
from tui.screens.map import MapScreen
from tui.screens.queue import Queue
from tui.screens.racks import Racks
from tui.screens.workspace import Workspace
from tui.settings import Settings

LOOKS = ("ssh dgx-02 nvidia-smi", "ssh dgx-01 sudo iblinkinfo", "squeue")
FAULTS = ("gpu.fell_off_bus target=dgx-02/gpu5", "fabric.port_disabled target=leaf-01/13")
Act = Callable[[Pilot[Any]], Awaitable[object]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def in_workspace(act: Act, *lines: str, site: str = "dgx-h100-4", size: tuple[int, int] = (100, 30)) -> None:
    async def run() -> None:
        live = await sandbox.begin(Opening(site, 1, FAULTS if site == "dgx-h100-4" else ()))
        await live.pass_time(10**11)
        for line in lines:
            await live.run_line(1, line)
        app = Breakfix(settings=Settings())
        async with app.run_test(size=size) as pilot:
            await at_home(pilot)
            await app.push_screen(Workspace(live))
            await pilot.pause()
            await act(pilot)
        live.close()

    asyncio.run(run())


async def press(pilot: Pilot[Any], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause(0.05)


def test_a_number_leads_from_one_view_to_the_next() -> None:
    async def act(pilot: Pilot[Any]) -> None:
        await press(pilot, "f2")
        for key, kind in zip("234561", (Racks, FabricMap, Queue, Alerts, Charts, MapScreen), strict=True):
            await press(pilot, key)
            assert isinstance(pilot.app.screen, kind), key
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, Workspace)

    in_workspace(act, *LOOKS)


@pytest.mark.parametrize(("key", "kind"), [("R", Racks), ("F", FabricMap), ("J", Queue), ("A", Alerts), ("G", Charts)])
def test_each_has_a_key_in_the_workspace(key: str, kind: type[Any]) -> None:
    async def act(pilot: Pilot[Any]) -> None:
        await press(pilot, "ctrl+b", key)
        assert isinstance(pilot.app.screen, kind)

    in_workspace(act)


def test_an_alert_leads_to_the_map_and_back_with_the_component() -> None:
    async def act(pilot: Pilot[Any]) -> None:
        await press(pilot, "ctrl+b", "A")
        assert "✗ dgx-02/gpu5" in shown(pilot.app) and "✗ leaf-01/13" in shown(pilot.app)
        screen = pilot.app.screen
        assert isinstance(screen, Alerts)
        screen.list.move_to(next(line.id for line in screen.list.lines if "dgx-02/gpu5" in line.text))
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, MapScreen) and pilot.app.screen.map.component == "dgx-02/gpu5"
        await press(pilot, "5")
        assert isinstance(pilot.app.screen, Alerts) and pilot.app.screen.component == "dgx-02/gpu5"

    in_workspace(act, *LOOKS)


def test_the_queue_shows_a_job_on_the_map() -> None:
    async def act(pilot: Pilot[Any]) -> None:
        await press(pilot, "ctrl+b", "J")
        assert "eval-mml" in shown(pilot.app) and "on dgx-03" in shown(pilot.app)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, MapScreen) and pilot.app.screen.map.host == "dgx-03"

    in_workspace(act, *LOOKS, size=(80, 24))


def test_one_walks_through_the_fabric_from_cable_to_cable() -> None:
    async def act(pilot: Pilot[Any]) -> None:
        await press(pilot, "ctrl+b", "F")
        await press(pilot, "down", "enter", "end")
        screen = pilot.app.screen
        assert isinstance(screen, FabricMap) and screen.component == "leaf-01"
        screen.cables.move_to("leaf-01/13")
        await pilot.pause()
        assert "leaf-01/13: Down, Disabled" in shown(pilot.app)
        await press(pilot, "enter")
        assert screen.component == "dgx-04"
        await press(pilot, "m")
        assert isinstance(pilot.app.screen, MapScreen) and pilot.app.screen.map.host == "dgx-04"

    in_workspace(act, *LOOKS)


def test_a_filter_leaves_what_fits_and_what_is_around_it() -> None:
    async def act(pilot: Pilot[Any]) -> None:
        await press(pilot, "ctrl+b", "F")
        await press(pilot, "/", *"dgx-17", "enter")
        screen = pilot.app.screen
        assert isinstance(screen, FabricMap)
        assert [tier.role for tier in screen.picture.tiers] == ["leaf", "nodes"]
        assert screen.picture.tiers[-1].machines == ("dgx-17",) and screen.component == "dgx-17"
        await press(pilot, "/", "escape")
        assert len(screen.picture.machines) > 40
        await press(pilot, "2")
        await press(pilot, "/", *"r03", "enter")
        assert isinstance(pilot.app.screen, Racks) and [rack.name for rack in pilot.app.screen.racks.racks] == ["R03"]

    in_workspace(act, site="dgx-h100-su", size=(80, 24))


def test_racks_are_walked_in_every_direction() -> None:
    async def act(pilot: Pilot[Any]) -> None:
        await press(pilot, "ctrl+b", "R")
        screen = pilot.app.screen
        assert isinstance(screen, Racks)
        walked = []
        for key in ("down", "right", "left", "up", "down", "down", "down", "down"):
            await press(pilot, key)
            walked.append(screen.component)
        assert walked == ["leaf-01", "spine-01", "leaf-01", "leaf-02", "leaf-01", "head-01", "dgx-02", "dgx-01"]
        assert "●●●●●✗●●" in shown(pilot.app)
        await pilot.click("RackView", offset=(30, 1))
        await pilot.pause()
        assert screen.component == "spine-02"

    in_workspace(act, *LOOKS)


def test_a_fabric_of_thousands_is_drawn_in_groups_that_can_be_looked_into() -> None:
    async def act(pilot: Pilot[Any]) -> None:
        await press(pilot, "ctrl+b", "F")
        screen = pilot.app.screen
        assert isinstance(screen, FabricMap) and screen.picture.cell is not None
        assert [tier.role for tier in screen.picture.tiers] == ["core", "spine", "leaf", "nodes"]
        await press(pilot, "down", "down", "enter")
        assert screen.picture.cell is not None and "leaf-001" in screen.picture.cell.machines
        for _ in range(8):
            if len(screen.picture.cell.machines) > 1:
                await press(pilot, "enter")
        assert screen.picture.cell.machines == ("leaf-001",) and "rail 0" in shown(pilot.app)
        for _ in range(8):
            await press(pilot, "-")
        assert len(screen.picture.machines) > 3_000

    in_workspace(act, site="dgx-h100-2k", size=(80, 24))

"""The board of a node: parts stand where they hang, and look as they were last seen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.frame import frame
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.live import sandbox
from tui.opening import Opening
from tui.screens.board import BoardScreen
from tui.screens.map import MapScreen
from tui.settings import Settings

FAULTS = ("gpu.fell_off_bus target=dgx-02/gpu5", "cooling.fan_failed target=dgx-02/fan3")
LOOKS = ("ssh dgx-02 nvidia-smi", "ssh dgx-02 ibstat", "ssh dgx-02 sudo ipmitool sdr")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def on_map(act: Callable[[Pilot[Any], MapScreen], Awaitable[object]], *lines: str, site: str = "dgx-h100-4") -> None:
    async def run() -> None:
        live = await sandbox.begin(Opening(site, 1, FAULTS if site == "dgx-h100-4" else ()))
        await live.pass_time(10**11)
        for line in lines:
            await live.run_line(1, line)
        app = Breakfix(settings=Settings())
        async with app.run_test(size=(120, 44)) as pilot:
            await at_home(pilot)
            screen = MapScreen(live)
            await app.push_screen(screen)
            await pilot.pause()
            await act(pilot, screen)
        live.close()

    asyncio.run(run())


def rows(app: Any, *pieces: str) -> list[str]:
    return [line for line in frame(app) if all(piece in line for piece in pieces)]


def test_parts_stand_below_the_root_port_that_they_share() -> None:
    async def act(pilot: Pilot[Any], screen: MapScreen) -> None:
        screen.map.choose("dgx-02")
        await pilot.press("b")
        await pilot.pause(0.1)
        assert isinstance(pilot.app.screen, BoardScreen)
        lines = frame(pilot.app)
        place = next(number for number, line in enumerate(lines) if "root bd:01.0" in line)
        assert "✗ gpu5" in lines[place] and "c3:00.0, SXM socket 6" in lines[place]
        assert "● mlx5_9" in lines[place + 1] and "Active" in lines[place + 1]
        assert len(rows(pilot.app, "● gpu")) == 7 and rows(pilot.app, "● gpu0", " C ", "of 700 W")
        assert rows(pilot.app, "✗ fan3") and rows(pilot.app, "● fan4") and rows(pilot.app, "· nvswitch0", "not seen")
        await pilot.press("escape")
        assert pilot.app.screen is screen

    on_map(act, *LOOKS)


def test_nothing_is_known_before_a_command_has_run() -> None:
    async def act(pilot: Pilot[Any], screen: MapScreen) -> None:
        screen.map.choose("dgx-02")
        await pilot.press("b")
        await pilot.pause(0.1)
        lines = "\n".join(frame(pilot.app)[2:-2])
        assert lines.count("· gpu") == 8 and "●" not in lines and "✗" not in lines

    on_map(act)


@pytest.mark.parametrize("host", ["head-01", "gpu-01"])
def test_other_machines_have_boards_too(host: str) -> None:
    async def act(pilot: Pilot[Any], screen: MapScreen) -> None:
        screen.map.choose(host)
        await pilot.press("b")
        await pilot.pause(0.1)
        assert rows(pilot.app, f"Board of {host}")

    on_map(act, site="dgx-h100-4" if host == "head-01" else "k8s-ib-3")

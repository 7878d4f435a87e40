"""The map on the screen: it moves only when something was seen, and everything in it can be reached."""

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
from tui.live import sandbox
from tui.opening import Opening
from tui.screens.map import EMPTY, MapScreen
from tui.settings import Settings
from tui.widgets.filter_line import FilterLine
from tui.widgets.node_details import NodeDetails
from tui.widgets.node_map import NodeMap

SIZES = [(80, 24), (120, 36), (200, 60)]
FAULT = "gpu.fell_off_bus target=dgx-02/gpu5"
SMI = "ssh dgx-02 nvidia-smi"
Act = Callable[[Pilot[Any], MapScreen], Awaitable[object]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def on_map(act: Act, *lines: str, size: tuple[int, int] = (80, 24), pick: bool = False) -> list[str | None]:
    """What the map gave after `act`, in a sandbox with a lost GPU in which lines were run."""
    results: list[str | None] = []

    async def run() -> None:
        live = await sandbox.begin(Opening("dgx-h100-4", 1, (FAULT,)))
        for line in lines:
            await live.run_line(1, line)
        app = Breakfix(settings=Settings())
        async with app.run_test(size=size) as pilot:
            await at_home(pilot)
            screen = MapScreen(live, pick)
            app.push_screen(screen, results.append)
            await pilot.pause()
            await act(pilot, screen)
            await pilot.pause()
        live.close()

    asyncio.run(run())
    return results


def row(app: Any, name: str) -> str:
    return next(line for line in frame(app) if f" {name} " in line)


@pytest.mark.parametrize("size", SIZES)
def test_nothing_moves_before_a_command_has_run(size: tuple[int, int]) -> None:
    async def act(pilot: Pilot[Any], screen: MapScreen) -> None:
        assert EMPTY in shown(pilot.app) and "✗" not in shown(pilot.app)
        assert row(pilot.app, "dgx-02").count("·") == 10
        await screen.live.pass_time(10**12)
        screen.show_session()
        await pilot.pause()
        assert row(pilot.app, "dgx-02").count("·") == 10
        await screen.live.run_line(1, SMI)
        screen.show_session()
        await pilot.pause()
        seen = row(pilot.app, "dgx-02")
        assert seen.count("●") == 7 and seen.count("✗") == 1 and "▲ degraded" in seen and "just now" in seen
        assert "degraded" in shown(pilot.app) and EMPTY.split(".")[0] not in frame(pilot.app)[-3]

    on_map(act, size=size)


def test_the_cursor_and_the_details() -> None:
    async def act(pilot: Pilot[Any], screen: MapScreen) -> None:
        await pilot.press("down", "down", *["right"] * 6)
        assert screen.map.component == "dgx-02/gpu5"
        text = shown(pilot.app)
        assert "dgx-02/gpu5  ✗ down" in text and "Unknown Error" in text and f"by: {SMI}" in text
        await pilot.press("enter")
        assert isinstance(screen.focused, NodeDetails)
        await pilot.press("enter")
        assert isinstance(screen.focused, NodeMap)

    assert on_map(act, SMI) == []


def test_a_terminal_is_opened_on_the_node() -> None:
    async def act(pilot: Pilot[Any], screen: MapScreen) -> None:
        await pilot.press("down", "right", "o")

    assert on_map(act) == ["dgx-01"]


def test_a_component_is_picked_by_key_and_by_mouse() -> None:
    async def by_key(pilot: Pilot[Any], screen: MapScreen) -> None:
        await pilot.press("down", "down", "right", "right", "enter")

    async def by_mouse(pilot: Pilot[Any], screen: MapScreen) -> None:
        line = row(pilot.app, "dgx-02")
        left, top = screen.map.region.offset
        at = line.index("dgx-02") + 9 + 4 * 3 - left, frame(pilot.app).index(line) - top
        await pilot.click(NodeMap, offset=at, times=2)

    assert on_map(by_key, pick=True) == ["dgx-02/gpu1"]
    assert on_map(by_mouse, pick=True) == ["dgx-02/gpu3"]


def test_parts_can_be_picked() -> None:
    async def act(pilot: Pilot[Any], screen: MapScreen) -> None:
        screen.map.choose("dgx-02")
        await pilot.press("x")
        screen.map.choose("dgx-02/fan3")
        await pilot.pause()
        assert " fan3 " in shown(pilot.app)
        await pilot.press("enter")

    assert on_map(act, pick=True) == ["dgx-02/fan3"]


def test_the_filter() -> None:
    async def act(pilot: Pilot[Any], screen: MapScreen) -> None:
        await pilot.press("/", *"down")
        assert not any(f" {name} " in shown(pilot.app) for name in ("dgx-01", "leaf-01")), shown(pilot.app)
        assert row(pilot.app, "dgx-02")
        await pilot.press("enter")
        assert isinstance(screen.focused, NodeMap)
        await pilot.press("/", "escape")
        assert not screen.query_one(FilterLine).value and row(pilot.app, "dgx-01")
        await pilot.press("escape")

    assert on_map(act, SMI) == [None]


def test_the_grid_and_back() -> None:
    async def act(pilot: Pilot[Any], screen: MapScreen) -> None:
        screen.map.choose("dgx-02")
        await pilot.press("c")
        assert "·▲··" in shown(pilot.app)
        await pilot.press("enter")
        assert screen.map.component == "dgx-02" and "dgx-01" in shown(pilot.app)

    on_map(act, SMI)

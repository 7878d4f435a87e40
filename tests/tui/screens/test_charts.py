"""The charts: empty before a number was read, one row a component, and the chosen one large."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.kernel.units import MINUTE
from tests.support.frame import frame, shown
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.live import sandbox
from tui.opening import Opening
from tui.screens.charts import EMPTY, Charts
from tui.settings import Settings
from tui.widgets.pick_list import PickList

QUERY = "ssh dgx-02 nvidia-smi --query-gpu=index,temperature.gpu,power.draw --format=csv"
Act = Callable[[Pilot[Any], Charts], Awaitable[object]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def on_charts(act: Act, looks: int, size: tuple[int, int] = (120, 36)) -> None:
    """`act` on the charts of a sandbox in which the GPUs of a node were looked at, once a minute."""

    async def run() -> None:
        live = await sandbox.begin(Opening("dgx-h100-4", 1, ("cooling.fan_failed target=dgx-02/fan3",)))
        for _ in range(looks):
            await live.run_line(1, QUERY)
            await live.pass_time(MINUTE)
        app = Breakfix(settings=Settings())
        async with app.run_test(size=size) as pilot:
            await at_home(pilot)
            screen = Charts(live)
            await app.push_screen(screen)
            await pilot.pause()
            await act(pilot, screen)
        live.close()

    asyncio.run(run())


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
def test_nothing_is_drawn_before_a_number_was_read(size: tuple[int, int]) -> None:
    async def act(pilot: Pilot[Any], screen: Charts) -> None:
        assert EMPTY.split("(")[0].strip() in shown(pilot.app) and "gpu" not in shown(pilot.app)
        await pilot.press("right", "enter", "down")  # nothing to go to, and nothing breaks
        await screen.live.run_line(1, QUERY)
        screen.show_session()
        await pilot.pause()
        assert "dgx-02/gpu0" in shown(pilot.app)

    on_charts(act, 0, size)


def test_each_component_has_a_row_and_the_chosen_one_a_chart() -> None:
    async def act(pilot: Pilot[Any], screen: Charts) -> None:
        rows = [line for line in frame(pilot.app) if "dgx-02/gpu" in line]
        assert len(rows) == 8 and "dgx-02/gpu0: temperature in C" in shown(pilot.app)
        assert len({row.split("dgx-02/")[1][:4] for row in rows}) == 8
        await pilot.press("down", "right")
        assert "dgx-02/gpu1: power in W" in shown(pilot.app)
        await pilot.press("left")
        assert "dgx-02/gpu1: temperature in C" in shown(pilot.app)

    on_charts(act, 3)


def test_a_chart_can_have_the_screen_to_itself() -> None:
    async def act(pilot: Pilot[Any], screen: Charts) -> None:
        await pilot.press("enter")
        await pilot.pause()
        assert not screen.query_one(PickList).region and "dgx-02/gpu0: temperature" in shown(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        assert screen.focused is screen.query_one(PickList)

    on_charts(act, 3, (80, 24))


def test_the_filter() -> None:
    async def act(pilot: Pilot[Any], screen: Charts) -> None:
        await pilot.press("/", *"gpu5", "enter")
        assert [line.id for line in screen.query_one(PickList).lines] == ["dgx-02/gpu5"]
        await pilot.press("/", "escape")
        assert len(screen.query_one(PickList).lines) == 8

    on_charts(act, 1)

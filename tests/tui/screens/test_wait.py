"""The time dialog: time passes, faster or not at all, and what is wrong is said in it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Button, Input

from engine.kernel.units import HOUR, MINUTE, SECOND
from scenarios.replay import order_hands
from tests.support.fast_keys import type_at_once
from tests.support.frame import frame, shown
from tests.support.screens import at_home
from tui.app import Breakfix, breakfix
from tui.drills import scenario_named
from tui.live import drill, sandbox
from tui.live.clock import RATES
from tui.live.drill import LiveDrill
from tui.live.live import Live
from tui.opening import Opening
from tui.screens.help import Help
from tui.screens.wait import WaitDialog, pass_for, pass_time, pass_until_news
from tui.settings import Settings

SIZES = [(80, 24), (120, 36), (200, 60)]
Act = Callable[[Pilot[Any], Live], Awaitable[object]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


async def begin_drill() -> LiveDrill:
    return await drill.begin(scenario_named("gpu-off-the-bus"), "gpu-off-the-bus", 3)


def with_dialog(
    act: Act, *, drilled: bool = False, size: tuple[int, int] = (80, 24), glyphs: str = "unicode"
) -> list[str | None]:
    """Do something with the dialog open. Returns its result; nothing while it is open."""
    results: list[str | None] = []

    async def run() -> None:
        live: Live = await begin_drill() if drilled else await sandbox.begin(Opening("dgx-h100-4", 1))
        app = Breakfix(settings=Settings.model_validate({"glyphs": glyphs}))
        async with app.run_test(size=size) as pilot:
            await at_home(pilot)
            app.push_screen(WaitDialog(live), results.append)
            await pilot.pause()
            await act(pilot, live)
        live.close()

    asyncio.run(run())
    return results


async def settled(pilot: Pilot[Any]) -> None:
    """Until no wait is under way."""
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def test_a_typed_time_passes_in_a_sandbox() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        before = live.simulation.now
        await pilot.press("9", "0", "s", "enter")
        await settled(pilot)
        assert live.simulation.now == before + 90 * SECOND
        assert not isinstance(pilot.app.screen, WaitDialog)

    assert with_dialog(act) == ["1m30s have passed; it is Mon 09:01:30."]


def test_what_is_typed_after_enter_is_no_part_of_the_time() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        await type_at_once(pilot, "90s", "<enter>", "uptime")
        await settled(pilot)

    assert with_dialog(act) == ["1m30s have passed; it is Mon 09:01:30."]


def test_waiting_in_a_drill_is_a_move() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        assert isinstance(live, LiveDrill)
        before = live.simulation.now
        await pilot.click("#for-15m")
        await settled(pilot)
        assert live.simulation.now == before + 15 * MINUTE
        (entry,) = [entry for _, entry in live.session.journal.of("wait")]
        assert entry.ended - entry.started == 15 * MINUTE

    assert with_dialog(act, drilled=True) == ["15m have passed; it is Mon 10:15:00."]


@pytest.mark.parametrize("text", ["soon", "0s", "31d", "10x"])
def test_what_is_no_time_is_said(text: str) -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        before = live.simulation.now
        pilot.app.screen.query_one("#for", Input).value = text
        await pilot.press("enter")
        await settled(pilot)
        assert "Write it like 90s" in shown(pilot.app)
        assert live.simulation.now == before

    with_dialog(act)


def test_an_empty_field_asks_how_long() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        assert "how long, e.g. 10m" in shown(pilot.app)
        before = live.simulation.now
        await pilot.click("#wait")
        await settled(pilot)
        assert "Type how long, such as 10m." in shown(pilot.app)
        assert live.simulation.now == before

    assert with_dialog(act) == []


def test_errors_of_a_move_are_said_in_the_dialog() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        assert isinstance(live, LiveDrill)
        live.session.submit()
        assert pilot.app.screen.query_one("#for-1m", Button).disabled is False
        dialog = pilot.app.screen
        assert isinstance(dialog, WaitDialog)
        await dialog._do(breakfix(dialog), lambda: wait_a_minute(live))
        assert "this session has been submitted" in shown(pilot.app)
        assert not dialog.can_wait and pilot.app.screen.query_one("#for-1m", Button).disabled

    assert with_dialog(act, drilled=True) == []


async def wait_a_minute(live: Live) -> str:
    await pass_time(live, MINUTE)
    return "not reached"


def test_speed_and_pause() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        changes: list[int] = []
        live.on_change = lambda: changes.append(1)
        await pilot.click("#rate-10")
        assert live.clock.rate == 10
        await pilot.press("ctrl+b", "-")
        assert live.clock.rate == 5
        await pilot.press("ctrl+b", "+", "ctrl+b", "+", "ctrl+b", "p")
        await pilot.pause()
        assert (live.clock.rate, live.clock.paused) == (30, True)
        assert "paused" in shown(pilot.app) and "Go on" in shown(pilot.app)
        await pilot.click("#pause")
        assert not live.clock.paused
        assert len(changes) == 6

    assert with_dialog(act) == []


def test_arrows_go_from_button_to_button() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        before = live.simulation.now
        pilot.app.screen.query_one("#for-1m").focus()
        await pilot.press("right", "right", "left", "enter")
        await settled(pilot)
        assert live.simulation.now == before + 5 * MINUTE

    with_dialog(act)


def test_waiting_until_an_order_is_done_ends_right_after_it() -> None:
    async def run() -> tuple[int, int, str, str]:
        live = await begin_drill()
        await live.move(":hands power-cycle target=dgx-04")
        (order,) = live.simulation.world.hands[""].orders
        said = await pass_until_news(live)
        live.close()
        return live.simulation.now, order.due_at, said, live.messages[-1].text

    now, due, said, message = asyncio.run(run())
    assert due <= now <= due + SECOND
    assert message and said == f"Something came after 11m: machine room: {message}"


def test_in_a_sandbox_the_report_of_the_machine_room_is_told() -> None:
    async def run() -> str:
        live = await sandbox.begin(Opening("dgx-h100-4", 1))
        order_hands(live.simulation, "power-cycle", "dgx-04", "alex")
        said = await pass_until_news(live)
        (order,) = live.simulation.world.hands[""].orders
        live.close()
        assert order.report
        return said.replace(order.report, "REPORT")

    assert asyncio.run(run()).endswith(": machine room: REPORT")


def test_what_comes_in_a_wait_is_told_with_it() -> None:
    async def run() -> list[str]:
        live = await begin_drill()
        await live.move(":hands power-cycle target=dgx-04")
        said = [await pass_for(live, MINUTE), await pass_for(live, HOUR)]
        live.close()
        return said

    quiet, told = asyncio.run(run())
    assert quiet == "1m has passed; it is Mon 10:01:00."
    first, second = told.split("\n")
    assert first == "1h has passed; it is Mon 11:01:00." and second.startswith("machine room: ")


def test_waiting_for_nothing_ends_after_an_hour() -> None:
    async def run() -> tuple[int, str]:
        live = await sandbox.begin(Opening("dgx-h100-4", 1))
        before = live.simulation.now
        said = await pass_until_news(live)
        live.close()
        return live.simulation.now - before, said

    assert asyncio.run(run()) == (HOUR, "Nothing came in 1h; it is Mon 10:00:00.")


def test_a_dialog_that_was_closed_meanwhile_tells_it_in_a_notice() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        dialog, app = pilot.app.screen, pilot.app
        assert isinstance(dialog, WaitDialog) and isinstance(app, Breakfix)
        dialog.close_dialog()
        await pilot.pause()
        await dialog._do(app, lambda: pass_for(live, MINUTE))
        await pilot.pause()
        assert [one.message for one in app._notifications] == ["1m has passed; it is Mon 09:01:00."]

    assert with_dialog(act) == [None]


def test_under_help_it_closes_when_help_does() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        dialog, app = pilot.app.screen, pilot.app
        assert isinstance(dialog, WaitDialog) and isinstance(app, Breakfix)
        app.show_help()
        await pilot.pause()
        await dialog._do(app, lambda: pass_for(live, MINUTE))
        await pilot.pause()
        assert isinstance(app.screen, Help)
        await pilot.press("escape")
        await pilot.pause()
        assert dialog not in app.screen_stack

    assert with_dialog(act) == ["1m has passed; it is Mon 09:01:00."]


def test_an_order_is_named_with_its_time_and_waited_for() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        assert isinstance(live, LiveDrill)
        await live.move(":hands power-cycle target=dgx-04")
        (order,) = live.simulation.world.hands[""].orders
        await pilot.press("ctrl+b", "p")
        await pilot.pause()
        assert f"power-cycle dgx-04 is due at {live.time_of_day(order.due_at)}" in shown(pilot.app)
        await pilot.press("ctrl+b", "n")
        await settled(pilot)
        assert live.simulation.now >= order.due_at

    (said,) = with_dialog(act, drilled=True)
    assert said is not None and said.startswith("Something came after 11m: machine room: ")


@pytest.mark.parametrize("glyphs", ["unicode", "ascii"])
@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut(size: tuple[int, int], glyphs: str) -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        box = pilot.app.screen.query_one(".dialog")
        for rate in (RATES[0], RATES[-1]):
            live.clock.set_rate(rate)
            await pilot.press("ctrl+b", "p")
            await pilot.pause()
            for part in pilot.app.screen.query("Button, Input").results():
                assert box.content_region.contains_region(part.region), part.id
                text = str(part.label) if isinstance(part, Button) else "how long, e.g. 10m"
                assert text in frame(pilot.app)[part.region.y][part.region.x : part.region.right]
            footer = frame(pilot.app)[-1]
            assert [
                word for word in ("Enter Wait", "go on", "something comes", "Help", "Back") if word not in footer
            ] == []

    with_dialog(act, size=size, glyphs=glyphs)


def test_the_function_keys_are_the_workspaces() -> None:
    assert not [key for one in WaitDialog.actions() for key in one.keys if re.fullmatch(r"f\d+", key)]


def test_ascii() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        assert "> 1x" in shown(pilot.app) and "= Pause" in shown(pilot.app)

    with_dialog(act, glyphs="ascii")


def test_a_long_text_in_the_field_can_be_read() -> None:
    async def act(pilot: Pilot[Any], live: Live) -> None:
        pilot.app.screen.query_one(Input).insert_text_at_cursor("a quarter of an hour, more or less")
        await pilot.pause()
        assert "a quarter of an hour" in shown(pilot.app)

    assert with_dialog(act) == []

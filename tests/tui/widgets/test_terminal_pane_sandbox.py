"""The terminal pane at a real sandbox."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList

from tests.support.frame import frame, shown
from tests.support.screens import at_home, new_drill
from tests.support.terminal_pane import pane_of, resize, run, until
from tui.app import Breakfix
from tui.live.sandbox import begin
from tui.opening import Opening
from tui.screens.workspace import Workspace
from tui.settings import Settings
from tui.widgets.terminal_pane import TerminalPane

MINUTE = 60_000_000_000


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


@asynccontextmanager
async def sandbox(size: tuple[int, int] = (100, 24)) -> AsyncIterator[tuple[Pilot[Any], TerminalPane]]:
    live = await begin(Opening("dgx-h100-4", 1))
    try:
        async with pane_of(live.seat(1), size) as (pilot, pane, _):
            yield pilot, pane
    finally:
        live.close()


async def start(pilot: Pilot[Any], pane: TerminalPane, line: str) -> None:
    """Begin a full-screen program."""
    pane.run_text(line)
    await until(pilot, lambda: pane.program is not None)


async def finish(pilot: Pilot[Any], pane: TerminalPane, *keys: str) -> None:
    await pilot.press(*keys)
    await until(pilot, lambda: not pane.conversation.running)


def test_lines_and_their_output() -> None:
    async def scene() -> None:
        async with sandbox() as (pilot, pane):
            await pilot.press(*"sinfo -h", "enter")
            await until(pilot, lambda: not pane.conversation.running)
            await run(pilot, pane, "echo a | tr a b", "printf no-newline")
            rows = [row for row in frame(pilot.app) if row]
            assert rows[0].endswith("$ sinfo -h") and rows[1].startswith("batch*") and rows[-3] == "b"
            assert rows[-1].startswith("no-newline") and rows[-1].endswith("$")

    asyncio.run(scene())


def test_ctrl_c_on_a_sleep() -> None:
    async def scene() -> None:
        async with sandbox() as (pilot, pane):
            pane.run_text("sleep 100")
            await until(pilot, lambda: pane.seat.busy)
            await pilot.pause(0.1)
            await finish(pilot, pane, "ctrl+c")
            await run(pilot, pane, "echo $?")
            assert "^C" in frame(pilot.app)[1] and "130" in shown(pilot.app)

    asyncio.run(scene())


def test_a_statement_over_several_lines() -> None:
    async def scene() -> None:
        async with sandbox() as (pilot, pane):
            await run(pilot, pane, "for x in 1 2")
            assert frame(pilot.app)[1] == ">"
            await run(pilot, pane, "do echo x$x; done")
            assert frame(pilot.app)[2:4] == ["x1", "x2"]

    asyncio.run(scene())


def test_less_searches_scrolls_and_follows_the_size() -> None:
    async def scene() -> None:
        async with sandbox() as (pilot, pane):
            await start(pilot, pane, "less /etc/services")
            await pilot.press("slash", *"https", "enter")
            assert frame(pilot.app)[0].startswith("https")
            await resize(pilot, pane, 60, 10)
            await pilot.press("G")
            assert frame(pilot.app)[9] == "(END)" and not any(frame(pilot.app)[10:])
            await finish(pilot, pane, "q")
            assert frame(pilot.app)[1].endswith("$")

    asyncio.run(scene())


def test_vi_edits_a_file() -> None:
    async def scene() -> None:
        async with sandbox() as (pilot, pane):
            await start(pilot, pane, "vi note")
            await pilot.press("i", *"two words", "escape")
            await finish(pilot, pane, "colon", "w", "q", "enter")
            await run(pilot, pane, "cat note")
            assert "two words" in frame(pilot.app)

    asyncio.run(scene())


def test_top_and_watch_show_the_time_that_passes() -> None:
    async def scene() -> None:
        async with sandbox() as (pilot, pane):
            await start(pilot, pane, "top")
            assert frame(pilot.app)[0].startswith("top - ") and "PID" in shown(pilot.app)
            before = frame(pilot.app)[0]
            await pane.seat.live.pass_time(10_000_000_000)
            await until(pilot, lambda: frame(pilot.app)[0] != before)
            await finish(pilot, pane, "q")
            await start(pilot, pane, "watch -n 1 date")
            before = shown(pilot.app)
            assert before.startswith("Every 1.0s: date")
            await pane.seat.live.pass_time(5_000_000_000)
            await until(pilot, lambda: shown(pilot.app) != before)
            await finish(pilot, pane, "ctrl+c")

    asyncio.run(scene())


HALF_DONE = [
    ("less /etc/services", "/half"), ("man ls", "12"), ("top", "k4"), ("watch -n 5 date", ""), ("vi note", "i"),
    ("vi note", "2d"), ("vi note", ":w"), ("nano note", ""),
]  # fmt: skip


def test_programs_are_left_in_the_middle_of_something() -> None:
    async def scene() -> None:
        async with sandbox() as (pilot, pane):
            for line, keys in HALF_DONE:
                await start(pilot, pane, line)
                for key in keys:
                    pane.press(key, key)
                pane.leave_program()
                await until(pilot, lambda: not pane.conversation.running)
                assert pane.program is None and last_rows(pilot, 0)[0].endswith("$"), line

    asyncio.run(scene())


@pytest.mark.parametrize(
    ("line", "keys", "said"),
    [("vi note", "itext", "No write since last change"), ("nano note", "text", "Save modified buffer?")],
)
def test_an_editor_with_changed_text_is_not_left(line: str, keys: str, said: str) -> None:
    async def scene() -> None:
        async with sandbox() as (pilot, pane):
            await start(pilot, pane, line)
            for key in keys:
                pane.press(key, key)
            for _ in range(2):
                pane.leave_program()
                await until(pilot, lambda: said in shown(pilot.app))
                assert pane.program is not None and "text" in shown(pilot.app)

    asyncio.run(scene())


def test_another_host_and_back_and_out() -> None:
    async def scene() -> None:
        async with sandbox() as (pilot, pane):
            await run(pilot, pane, "ssh dgx-02", "hostname")
            assert pane.seat.title == "dgx-02" and "dgx-02" in frame(pilot.app)
            await run(pilot, pane, "exit")
            assert pane.seat.title == "head-01" and "closed." in shown(pilot.app)
            await pilot.press("ctrl+d")
            await until(pilot, lambda: pane.conversation.ended)
            assert "$ logout" in shown(pilot.app)
            await pilot.press("enter")
            assert shown(pilot.app).rstrip().endswith("$")

    asyncio.run(scene())


def test_a_host_that_is_switched_off_leads_back_to_the_one_before() -> None:
    async def scene() -> None:
        live = await new_drill()
        async with pane_of(live.seat(1), (100, 24)) as (pilot, pane, screen):
            await run(pilot, pane, "ssh dgx-04")
            pane.insert_text("hostname")
            await live.move(":hands power-cycle target=dgx-04")
            await live.pass_time(10 * MINUTE)
            await until(pilot, lambda: "Broken pipe" in shown(pilot.app) and not pane.conversation.running)
            assert last_rows(pilot, 1)[0].endswith("Broken pipe") and pane.seat.title == "head-01"
            assert last_rows(pilot, 0) == ["alex@head-01:~$ hostname"] and screen.told[-1] == "changed"
            await pilot.press("enter")
            await until(pilot, lambda: not pane.conversation.running)
            assert last_rows(pilot, 1)[0] == "head-01"
        live.close()

    asyncio.run(scene())


def test_a_line_below_a_broken_connection_goes_on_before_the_prompt_shows() -> None:
    async def scene() -> None:
        live = await new_drill()
        async with pane_of(live.seat(1), (100, 24)) as (pilot, pane, _):
            await run(pilot, pane, "ssh dgx-04; sleep 30; echo came back", ":hands power-cycle target=dgx-04")
            pane.run_text(":wait 10m")
            await until(pilot, lambda: "Broken pipe" in last_rows(pilot, 0)[0])
            await live.pass_time(MINUTE)
            await until(pilot, lambda: not pane.conversation.running)
            assert last_rows(pilot, 1) == ["came back", "alex@head-01:~$"]
        live.close()

    asyncio.run(scene())


def test_after_handing_in_the_terminal_says_which_key_shows_the_debrief() -> None:
    async def scene() -> None:
        live = await new_drill()
        await live.submit()
        app = Breakfix(settings=Settings(tour_seen=True))
        app.keymap.changed = {"drill.debrief": ("prefix g",)}
        async with app.run_test(size=(100, 24)) as pilot:
            await at_home(pilot)
            await app.push_screen(Workspace(live))
            await pilot.pause()
            await pilot.press("l", "s")
            assert "this session has ended (^B g: Debrief); " in shown(app)
        live.close()

    asyncio.run(scene())


def test_by_mouse_alone_a_line_is_run_from_the_footer_and_pinned_from_the_menu() -> None:
    async def scene() -> None:
        app = Breakfix(settings=Settings(tour_seen=True))
        async with app.run_test(size=(120, 36)) as pilot:
            await at_home(pilot)
            screen = Workspace(await new_drill())
            await app.push_screen(screen)
            await until(
                pilot, lambda: screen.area.pane is not None and screen.area.pane.conversation.editor is not None
            )
            pane = screen.area.pane
            assert pane is not None
            pane.put_text("printf 'one\\ntwo\\n'")
            await until(pilot, lambda: "j Enter" in frame(app)[35])
            await pilot.click(offset=(frame(app)[35].index("Enter"), 35))
            await until(pilot, lambda: any(text.endswith(" one") for text in frame(app)))
            row = next(y for y, text in enumerate(frame(app)) if text.endswith(" one"))
            await pilot.click(offset=(frame(app)[row].index(" one") + 1, row), button=3)
            await until(pilot, lambda: "Split below" in shown(app))
            menu = app.screen.query_one(OptionList)
            await pilot.click(menu, offset=(3, 1 + menu.get_option_index("terminal.pin")))
            await until(pilot, lambda: screen.drill.pins[-1].text == "one")
            screen.leaving()

    asyncio.run(scene())


def last_rows(pilot: Pilot[Any], above: int) -> list[str]:
    """The last row with something on it, and so many above it."""
    return [row for row in frame(pilot.app) if row][-1 - above :]


def test_a_command_that_asks() -> None:
    async def scene() -> None:
        async with sandbox() as (pilot, pane):
            pane.run_text("su -")
            await until(pilot, lambda: pane.conversation.editor is not None)
            assert frame(pilot.app)[1] == "Password:"
            await finish(pilot, pane, *"secret", "enter")
            assert "secret" not in shown(pilot.app)
            for way_out in ("ctrl+c", "ctrl+d"):
                pane.run_text("su -")
                await until(pilot, lambda: pane.conversation.editor is not None)
                await finish(pilot, pane, way_out)
            await run(pilot, pane, "echo still here")
            assert "still here" in frame(pilot.app)

    asyncio.run(scene())


def test_many_lines_stream_while_the_program_answers() -> None:
    async def scene() -> None:
        async with sandbox((80, 24)) as (pilot, pane):
            pane.run_text("seq 20000")
            await until(pilot, lambda: not pane.conversation.running)
            assert frame(pilot.app)[22] == "20000" and pane.page.kept.rows == 20001

    asyncio.run(scene())

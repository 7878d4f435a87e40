"""The terminal pane by mouse alone: Enter, Stop and the rest as actions, words that are clicked, the line taken."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.frame import frame, shown
from tests.support.terminal_pane import FakeSeat, PaneScreen, echo, forever, pane_of, run, until
from tui.app import Breakfix
from tui.widgets.terminal_pane import TerminalPane

LEAVE, ENTER, STOP, CLEAR = "terminal.leave_program", "terminal.enter", "terminal.stop", "terminal.clear_line"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")


async def many(seat: FakeSeat, text: str) -> None:
    seat.view.print("".join(f"dgx-{number:02} up\n" for number in range(int(text))).encode(), False)


async def asking(seat: FakeSeat, text: str) -> None:
    seat.view.print(f"got {await seat.view.ask('sure? ', False)}\n".encode(), False)


class Picture:
    """A full-screen program that keeps its keys."""

    def __init__(self) -> None:
        self.keys: list[str] = []

    def render(self, columns: int, rows: int) -> list[str]:
        return ["one", "\x1b[31mtwo\x1b[0m  ", ""]

    async def key(self, name: str) -> int | None:
        self.keys.append(name)
        return 0 if name == "q" else None


def offered(pilot: Pilot[Any]) -> list[str]:
    """Which of them can be done, as the footer would have them."""
    app = pilot.app
    assert isinstance(app, Breakfix)
    found = [one.action for one in app.offers() if one.enabled and one.action.id in (LEAVE, ENTER, STOP, CLEAR)]
    return [one.id for one in sorted(found, key=lambda one: one.footer or 99)]


async def do(pilot: Pilot[Any], id: str) -> None:
    assert isinstance(pilot.app, Breakfix)
    assert await pilot.app.do_by_id(id)
    await pilot.pause()


def test_text_at_the_prompt_is_run_or_taken_away() -> None:
    async def scene() -> None:
        seat = FakeSeat(echo)
        async with pane_of(seat) as (pilot, pane, _):
            assert offered(pilot) == []
            pane.insert_text("sinfo")
            assert offered(pilot) == [ENTER, CLEAR]
            await do(pilot, CLEAR)
            assert offered(pilot) == [] and frame(pilot.app)[0] == "ops@dgx-01:~$"
            pane.insert_text("squeue")
            await do(pilot, ENTER)
            await until(pilot, lambda: not pane.conversation.running)
            assert seat.ran == ["squeue"] and offered(pilot) == []

    asyncio.run(scene())


def test_text_that_is_put_there_replaces_what_was_typed() -> None:
    async def scene() -> None:
        seat = FakeSeat(forever)
        async with pane_of(seat) as (pilot, pane, _):
            pane.put_text("sinfo")
            pane.put_text("squeue")
            await pilot.pause()
            assert frame(pilot.app)[0] == "ops@dgx-01:~$ squeue"
            await do(pilot, ENTER)
            pane.put_text("one")
            pane.put_text("two")
            await do(pilot, STOP)
            await until(pilot, lambda: not pane.conversation.running)
            pane.put_text("three")
            await pilot.pause()
            assert frame(pilot.app)[2] == "ops@dgx-01:~$ three"

    asyncio.run(scene())


def test_what_runs_is_stopped_also_from_scroll_mode_and_with_a_selection() -> None:
    async def scene() -> None:
        seat = FakeSeat(forever)
        async with pane_of(seat) as (pilot, pane, _):
            pane.run_text("sleep")
            await until(pilot, lambda: seat.busy)
            assert offered(pilot) == [STOP]
            pane.browse()
            await do(pilot, STOP)
            await until(pilot, lambda: not pane.conversation.running)
            assert seat.interrupts == 1 and pane.browsing is None and offered(pilot) == []
            pane.run_text("sleep")
            await until(pilot, lambda: seat.busy)
            await pilot.click(pane, offset=(1, 0), times=2)
            assert pane.selection is not None
            await do(pilot, STOP)
            await until(pilot, lambda: not pane.conversation.running)
            assert seat.interrupts == 2 and pane.selection is None

    asyncio.run(scene())


def test_a_question_is_answered_or_stopped() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(asking)) as (pilot, pane, _):
            pane.run_text("ask")
            await until(pilot, lambda: pane.conversation.editor is not None)
            assert offered(pilot) == [ENTER, STOP]
            pane.insert_text("yes")
            assert offered(pilot) == [ENTER, STOP, CLEAR]
            await do(pilot, ENTER)
            await until(pilot, lambda: "got yes" in shown(pilot.app))
            pane.run_text("ask")
            await until(pilot, lambda: ENTER in offered(pilot))
            await do(pilot, STOP)
            await until(pilot, lambda: "got None" in shown(pilot.app))

    asyncio.run(scene())


def test_a_program_is_given_enter_and_left() -> None:
    picture = Picture()

    async def less(seat: FakeSeat, text: str) -> None:
        await seat.view.show(picture, None)

    async def scene() -> None:
        async with pane_of(FakeSeat(less)) as (pilot, pane, _):
            pane.run_text("less")
            await until(pilot, lambda: pane.program is not None)
            assert offered(pilot) == [LEAVE, ENTER]
            await do(pilot, ENTER)
            await do(pilot, LEAVE)
            await until(pilot, lambda: not pane.conversation.running)
            assert picture.keys == ["enter", "escape", "q"] and pane.program is None and offered(pilot) == []

    asyncio.run(scene())


def test_enter_opens_a_new_shell_and_nothing_is_offered_when_the_session_is_over() -> None:
    async def leaving(seat: FakeSeat, text: str) -> None:
        seat.closed = text == "exit"

    async def scene() -> None:
        seat = FakeSeat(leaving)
        async with pane_of(seat) as (pilot, pane, _):
            pane.run_text("exit")
            await until(pilot, lambda: pane.conversation.ended)
            assert offered(pilot) == [ENTER]
            seat.closed = False
            await do(pilot, ENTER)
            assert not pane.conversation.ended
            seat.can_run = False
            pane.insert_text("x")
            assert offered(pilot) == []

    asyncio.run(scene())


async def click_on(pilot: Pilot[Any], pane: TerminalPane, word: str) -> None:
    row = frame(pilot.app)[pane.size.height - 1]
    await pilot.click(pane, offset=(row.index(word) + 1, pane.size.height - 1))


def test_the_words_below_choose_mark_find_and_leave() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, screen):
            await run(pilot, pane, "10")
            pane.pin()
            await pilot.pause()
            assert frame(pilot.app)[23].startswith(" choose the line:") and ENTER not in offered(pilot)
            await click_on(pilot, pane, "Up")
            await click_on(pilot, pane, "v several")
            await click_on(pilot, pane, "Up")
            await click_on(pilot, pane, "Enter pins")
            assert screen.told[-1] == ("pin", "dgx-07 up\ndgx-08 up") and pane.browsing is None
            pane.scroll_mode()
            await pilot.pause()
            await click_on(pilot, pane, "/ find")
            pane.insert_text("dgx-0")
            await pilot.pause()
            await click_on(pilot, pane, "Enter done")
            await click_on(pilot, pane, "n older")
            assert "10 of 11" in frame(pilot.app)[23]
            await click_on(pilot, pane, "N newer")
            assert "11 of 11" in frame(pilot.app)[23]
            await click_on(pilot, pane, "Esc leave")
            assert pane.browsing is None and frame(pilot.app)[11] == "ops@dgx-01:~$"

    asyncio.run(scene())


def test_a_double_click_pins_where_a_line_is_chosen() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, screen):
            await run(pilot, pane, "10")
            pane.pin()
            await pilot.click(pane, offset=(2, 4), times=2)
            assert screen.told[-1] == ("pin", "dgx-03 up") and pane.browsing is None
            pane.pin()
            await pilot.press("slash", "x")
            await pilot.click(pane, offset=(2, 5), times=2)
            assert screen.told[-1] == ("pin", "dgx-04 up") and pane.browsing is None

    asyncio.run(scene())


def test_the_search_line_takes_the_first_line_of_what_is_pasted() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "10")
            pilot.app.copy_to_clipboard("\ndgx-04 up\ndgx-05 up")
            pane.find()
            await pilot.mouse_down(pane, offset=(1, 1), button=2)
            await pilot.pause()
            assert "find: dgx-04 up_  1 of 1" in frame(pilot.app)[23]

    asyncio.run(scene())


async def right_click(pilot: Pilot[Any], pane: TerminalPane, at: tuple[int, int]) -> None:
    await pilot.mouse_down(pane, offset=at, button=3)
    await pilot.pause()


def pinned(screen: PaneScreen) -> list[str]:
    return [told[1] for told in screen.told if told[0] == "pin"]


def painted(pane: TerminalPane) -> list[str]:
    """The rows with another background than the pane's."""
    base = pane.rich_style.bgcolor
    rows = [list(pane.render_line(y)) for y in range(pane.size.height)]
    return [
        "".join(part.text for part in row).rstrip() for row in rows if row[0].style and row[0].style.bgcolor != base
    ]


def test_a_right_click_takes_the_line_to_pin_or_copy() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, screen):
            await run(pilot, pane, "10")
            await right_click(pilot, pane, (30, 4))
            assert painted(pane) == ["dgx-03 up"]
            pane.pin()
            await pilot.pause()
            assert pinned(screen) == ["dgx-03 up"] and painted(pane) == [] and pane.browsing is None
            await right_click(pilot, pane, (1, 5))
            pane.copy()
            assert pilot.app.clipboard == "dgx-04 up"
            await pilot.click(pane, offset=(1, 1), times=2)
            await right_click(pilot, pane, (1, 5))
            pane.pin()
            await pilot.pause()
            assert pinned(screen)[-1] == "dgx-00"
            await right_click(pilot, pane, (1, 11))
            pane.pin()
            assert pane.browsing is not None and pane.browsing.choosing
            await right_click(pilot, pane, (1, 6))
            pane.pin()
            await pilot.pause()
            assert pinned(screen)[-1] == "dgx-05 up"

    asyncio.run(scene())


def test_a_line_is_no_longer_taken_when_something_else_is_done() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "10")
            await right_click(pilot, pane, (1, 4))
            await pilot.press("x")
            assert painted(pane) == [] and pane.selected_or_line() is None
            await right_click(pilot, pane, (1, 4))
            await pilot.click(pane, offset=(1, 2))
            assert painted(pane) == [] and pane.selected_or_line() is None

    asyncio.run(scene())


def test_a_right_click_takes_a_row_of_a_full_screen_program() -> None:
    async def less(seat: FakeSeat, text: str) -> None:
        await seat.view.show(Picture(), None)

    async def scene() -> None:
        async with pane_of(FakeSeat(less)) as (pilot, pane, screen):
            pane.run_text("less")
            await until(pilot, lambda: pane.program is not None)
            await right_click(pilot, pane, (1, 1))
            assert painted(pane) == ["two"]
            pane.pin()
            await pilot.pause()
            assert pinned(screen) == ["two"] and painted(pane) == []
            await right_click(pilot, pane, (1, 2))
            pane.pin()
            await pilot.pause()
            assert "Pin a line" in shown(pilot.app)
            await pilot.press("escape", "q")
            await until(pilot, lambda: not pane.conversation.running)

    asyncio.run(scene())

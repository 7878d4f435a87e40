"""The terminal pane: keys, painting and resizing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from rich.segment import Segment
from textual import events

from tests.support.frame import frame, shown
from tests.support.terminal_pane import FakeSeat, echo, forever, pane_of, resize, run, until
from tui.widgets.terminal_pane import TerminalPane


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    return tmp_path


def lines_of(count: int) -> bytes:
    return "".join(f"line {number}\n" for number in range(count)).encode()


async def many(seat: FakeSeat, text: str) -> None:
    seat.view.print(lines_of(int(text)), False)


def reversed_text(pane: TerminalPane) -> str:
    """What is painted reversed: the cursor, a selection."""
    segments: list[Segment] = [segment for y in range(pane.size.height) for segment in pane.render_line(y)]
    return "".join(segment.text for segment in segments if segment.style and segment.style.reverse)


def test_a_line_is_typed_run_and_shown_in_its_colours() -> None:
    async def coloured(seat: FakeSeat, text: str) -> None:
        seat.view.print(b"\x1b[31mDOWN\x1b[0m ok\x1b]0;x\x07\n", False)

    async def scene() -> None:
        async with pane_of(FakeSeat(coloured)) as (pilot, pane, screen):
            await pilot.press(*"ls", "enter")
            await until(pilot, lambda: not pane.conversation.running)
            assert frame(pilot.app)[:3] == ["ops@dgx-01:~$ ls", "DOWN ok", "ops@dgx-01:~$"]
            first = next(iter(pane.render_line(1)))
            assert first.text == "DOWN" and first.style and first.style.color and first.style.color.number == 1
            assert screen.told == ["changed", "changed"]

    asyncio.run(scene())


def test_only_the_rows_that_changed_are_painted_again() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "10")
            rows: list[int] = []
            original = pane.render_line

            def painted(y: int) -> object:
                rows.append(y)
                return original(y)

            pane.render_line = painted  # type: ignore[method-assign, assignment]
            await pilot.press("x")
            assert set(rows) == {11}

    asyncio.run(scene())


def test_a_long_line_wraps_and_the_cursor_is_on_it() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(echo), pane_size=(20, 6)) as (pilot, pane, _):
            pane.insert_text("0123456789")
            await pilot.pause()
            assert frame(pilot.app)[:2] == ["ops@dgx-01:~$ 012345", "6789"]
            assert reversed_text(pane) == " "
            await pilot.press("home")
            assert reversed_text(pane) == "0"

    asyncio.run(scene())


def test_the_cursor_is_underlined_without_the_focus() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(echo)) as (pilot, pane, screen):
            screen.set_focus(None)
            await pilot.pause()
            cursor = [segment for segment in pane.render_line(0) if segment.style and segment.style.underline]
            assert reversed_text(pane) == "" and len(cursor) == 1

    asyncio.run(scene())


def test_ctrl_c_stops_what_runs() -> None:
    async def scene() -> None:
        seat = FakeSeat(forever)
        async with pane_of(seat) as (pilot, pane, _):
            await pilot.press(*"sleep", "enter")
            await until(pilot, lambda: seat.busy)
            await pilot.press("a", "ctrl+c")
            await until(pilot, lambda: not pane.conversation.running)
            assert frame(pilot.app)[:3] == ["ops@dgx-01:~$ sleep", "^C", "ops@dgx-01:~$"]

    asyncio.run(scene())


def test_ctrl_c_works_during_a_flood_and_the_end_is_in_view() -> None:
    async def flood(seat: FakeSeat, text: str) -> None:
        while not seat.interrupts:
            seat.view.print(lines_of(500), False)
            await asyncio.sleep(0.001)

    async def scene() -> None:
        seat = FakeSeat(flood)
        async with pane_of(seat, scrollback=2000) as (pilot, pane, _):
            pane.run_text("yes")
            await until(pilot, lambda: pane.page.kept.first > 0)
            await resize(pilot, pane, 60, 18)
            await pilot.press("ctrl+c")
            await until(pilot, lambda: not pane.conversation.running)
            assert pane.page.following and "^C" in shown(pilot.app)
            assert frame(pilot.app)[17] == "ops@dgx-01:~$"

    asyncio.run(scene())


def test_a_question_is_answered_and_a_password_is_not_shown() -> None:
    async def ask(seat: FakeSeat, text: str) -> None:
        answer = await seat.view.ask("[sudo] password: ", True)
        seat.view.print(f"got {answer}\n".encode(), False)

    async def scene() -> None:
        async with pane_of(FakeSeat(ask)) as (pilot, pane, _):
            await pilot.press(*"sudo", "enter", *"pw", "enter")
            await until(pilot, lambda: not pane.conversation.running)
            assert frame(pilot.app)[:3] == ["ops@dgx-01:~$ sudo", "[sudo] password:", "got pw"]

    asyncio.run(scene())


class Pager:
    """A full-screen program."""

    keys: list[str]

    def __init__(self) -> None:
        self.keys = []

    def render(self, columns: int, rows: int) -> list[str]:
        return [f"\x1b[7m{columns}x{rows}\x1b[0m {','.join(self.keys)}"] + ["~" * 300] * 99

    async def key(self, name: str) -> int | None:
        self.keys.append(name)
        return 0 if name == "q" else None


def test_a_full_screen_program_gets_every_key_and_the_whole_pane() -> None:
    pager = Pager()

    async def less(seat: FakeSeat, text: str) -> None:
        await seat.view.show(pager, 1_000_000_000)

    async def scene() -> None:
        seat = FakeSeat(less)
        async with pane_of(seat) as (pilot, pane, _):
            pane.run_text("less")
            await until(pilot, lambda: pane.program is not None)
            await pilot.press("ctrl+c", "slash", "X", "space", "up", "ctrl+f")
            assert frame(pilot.app)[0].startswith("80x24 ctrl+c,/,X,space,up,ctrl+f")
            assert frame(pilot.app)[23] == "~" * 80
            await resize(pilot, pane, 50, 10)
            await pilot.pause()
            assert frame(pilot.app)[0].startswith("50x10") and seat.resized[-1] == (50, 10)
            pager.keys[:] = ["later"]
            seat.now = 2_000_000_000
            await until(pilot, lambda: "later" in frame(pilot.app)[0])
            await pilot.press("q")
            await until(pilot, lambda: not pane.conversation.running)
            assert frame(pilot.app)[:2] == ["ops@dgx-01:~$ less", "ops@dgx-01:~$"]

    asyncio.run(scene())


def test_a_row_of_a_full_screen_program_is_chosen_to_be_pinned() -> None:
    async def less(seat: FakeSeat, text: str) -> None:
        await seat.view.show(Pager(), None)

    async def scene() -> None:
        async with pane_of(FakeSeat(less)) as (pilot, pane, screen):
            pane.run_text("less")
            await until(pilot, lambda: pane.program is not None)
            await pilot.press("ctrl+b", "p")
            await pilot.pause()
            assert "Pin a line" in shown(pilot.app) and "80x24" in shown(pilot.app)
            await pilot.press("down", "enter")
            await pilot.pause()
            assert screen.told[-1] == ("pin", "~" * 300) and pane.program is not None
            await pilot.press("ctrl+b", "p", "escape", "x")
            await pilot.pause()
            assert screen.told[-1] == ("pin", "~" * 300) and frame(pilot.app)[0].startswith("80x24 x")
            await pilot.press("q")
            await until(pilot, lambda: not pane.conversation.running)

    asyncio.run(scene())


def test_completion_shows_its_menu_below_the_prompt() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(echo, words=("sinfo", "squeue"))) as (pilot, pane, _):
            await pilot.press("s", "tab", "tab", "tab")
            assert "sinfo" in frame(pilot.app)[1] and "squeue" in frame(pilot.app)[1]
            await pilot.press("enter", "enter")
            await until(pilot, lambda: not pane.conversation.running)
            assert frame(pilot.app)[1] == "ran sinfo"

    asyncio.run(scene())


def test_pasted_lines_wait_for_enter() -> None:
    async def scene() -> None:
        seat = FakeSeat(echo)
        async with pane_of(seat) as (pilot, pane, _):
            pane.post_message(events.Paste("a\nb"))
            await pilot.pause(0.05)
            assert seat.ran == []
            await pilot.press("enter")
            await until(pilot, lambda: seat.ran == ["a", "b"] and not pane.conversation.running)

    asyncio.run(scene())


def test_ctrl_l_leaves_the_prompt_at_the_top_and_what_was_there_above() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "30")
            await pilot.press("ctrl+l")
            assert frame(pilot.app)[0] == "ops@dgx-01:~$" and not any(frame(pilot.app)[1:])
            await pilot.press("shift+pageup")
            assert "line 29" in shown(pilot.app)

    asyncio.run(scene())


def test_another_width_wraps_anew_and_keeps_the_end_or_the_place() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "300")
            await resize(pilot, pane, 5, 12)
            await pilot.pause()
            assert frame(pilot.app)[11].endswith("$")
            await resize(pilot, pane, 80, 24)
            await pilot.press("shift+pageup", "shift+pageup")
            top = frame(pilot.app)[0]
            await resize(pilot, pane, 6, 12)
            await resize(pilot, pane, 80, 24)
            await pilot.pause()
            assert frame(pilot.app)[0] == top

    asyncio.run(scene())


@pytest.mark.parametrize("size", [(10, 3), (1, 1)])
def test_a_tiny_pane(size: tuple[int, int]) -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(echo, words=("sinfo", "squeue")), pane_size=size) as (pilot, pane, _):
            await pilot.press("s", "tab", "tab", "enter", "enter", "ctrl+b", "[", "up", "v", "slash", "x", "escape")
            await pilot.press("ctrl+b", "/", "x", "enter", "n", "escape", "shift+pageup", "shift+pageup")
            await pilot.click(pane, offset=(0, 0), times=2)
            await until(pilot, lambda: not pane.conversation.running)
            assert pane.is_running and all(pane.render_line(y).cell_length == size[0] for y in range(size[1]))

    asyncio.run(scene())


def test_trouble_in_a_line_is_told_and_the_terminal_goes_on() -> None:
    async def broken(seat: FakeSeat, text: str) -> None:
        if text == "break":
            raise RuntimeError("an [odd] fault")
        await echo(seat, text)

    async def scene() -> None:
        async with pane_of(FakeSeat(broken)) as (pilot, pane, _):
            await run(pilot, pane, "break", "ls")
            assert frame(pilot.app)[1] == "breakfix: an [odd] fault" and "ran ls" in shown(pilot.app)

    asyncio.run(scene())


def test_a_pane_that_is_closed_hangs_up() -> None:
    async def scene() -> None:
        seat = FakeSeat(forever)
        async with pane_of(seat) as (pilot, pane, _):
            pane.run_text("sleep")
            await until(pilot, lambda: seat.busy)
            await pane.remove()
            await pilot.pause()
            assert seat.view is None and seat.interrupts == 1

    asyncio.run(scene())


def test_ascii_paints_nothing_else() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many), glyphs="ascii") as (pilot, pane, _):
            await run(pilot, pane, "100")
            await pilot.press("shift+pageup")
            assert "lines below" in shown(pilot.app) and shown(pilot.app).isascii()
            await pilot.press("ctrl+b", "[")
            assert "Esc leave" in shown(pilot.app) and shown(pilot.app).isascii()

    asyncio.run(scene())

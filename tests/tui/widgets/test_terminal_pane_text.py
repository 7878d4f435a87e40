"""The terminal pane: scrolling, selecting, searching, copying, pinning; by key and by mouse."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual import events

from tests.support.frame import frame, shown
from tests.support.terminal_pane import FakeSeat, echo, pane_of, resize, run, until
from tui.paths import transcripts_folder
from tui.widgets.terminal_pane import TerminalPane


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    return tmp_path


async def many(seat: FakeSeat, text: str) -> None:
    seat.view.print("".join(f"dgx-{number:02} up\n" for number in range(int(text))).encode(), False)


async def long_lines(seat: FakeSeat, text: str) -> None:
    for number in range(int(text)):
        seat.view.print(f"\x1b[31m{number} \x1b[0m{'0123456789' * 5}  \n".encode(), False)


def test_scrolling_by_keys_and_wheel_and_back() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "100")
            await pilot.press("shift+pageup")
            assert frame(pilot.app)[0].startswith("dgx-54") and "23 lines below" in frame(pilot.app)[23]
            pane.post_message(events.MouseScrollUp(pane, 1, 1, 0, -1, 0, False, False, False))
            await pilot.pause()
            assert frame(pilot.app)[0].startswith("dgx-51")
            pane.print(b"more\n" * 50, False)
            await pilot.pause(0.1)
            assert frame(pilot.app)[0].startswith("dgx-51")
            await pilot.press("x")
            assert frame(pilot.app)[23] == "ops@dgx-01:~$ x"
            await pilot.press("shift+pageup")
            await pilot.click(pane, offset=(78, 23))
            assert frame(pilot.app)[23] == "ops@dgx-01:~$ x"

    asyncio.run(scene())


def test_scroll_mode_says_its_keys_and_copies_marked_lines() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "100")
            await pilot.press("ctrl+b", "[")
            assert frame(pilot.app)[23].startswith(" scroll:") and frame(pilot.app)[23].endswith("Esc leave")
            await pilot.press("g", "down", "v", "down", "y")
            assert pilot.app.clipboard == "dgx-00 up\ndgx-01 up"
            assert frame(pilot.app)[23] == "ops@dgx-01:~$" and pane.browsing is None

    asyncio.run(scene())


def test_find_shows_the_newest_place_and_counts() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "100")
            await pilot.press("ctrl+b", "/", *"dgx-1")
            assert "find: dgx-1_  10 of 10" in frame(pilot.app)[23]
            await pilot.press("enter", "n", "n")
            assert "8 of 10" in frame(pilot.app)[23] and "dgx-17 up" in shown(pilot.app)
            current = [
                segment.text
                for y in range(pane.size.height)
                for segment in pane.render_line(y)
                if segment.style and segment.style.reverse
            ]
            assert current == ["dgx-1"]
            await pilot.press("escape")
            assert frame(pilot.app)[23] == "ops@dgx-01:~$"

    asyncio.run(scene())


def test_pinning_a_chosen_line_or_the_selection() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, screen):
            await run(pilot, pane, "10")
            await pilot.press("ctrl+b", "p")
            assert frame(pilot.app)[23].startswith(" choose the line:")
            await pilot.press("up", "enter")
            await pilot.pause()
            assert screen.told[-1] == ("pin", "dgx-08 up") and pane.browsing is None
            await pilot.click(pane, offset=(2, 3), times=2)
            await pilot.press("ctrl+b", "p")
            await pilot.pause()
            assert screen.told[-1] == ("pin", "dgx-02") and pane.selection is None

    asyncio.run(scene())


def test_several_marked_lines_are_pinned_as_they_were_printed() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(long_lines), pane_size=(20, 12)) as (pilot, pane, screen):
            await run(pilot, pane, "3")
            await pilot.press("ctrl+b", "p", "v", "up", "up", "enter")
            await pilot.pause()
            printed = "\n".join(f"{number} {'0123456789' * 5}" for number in range(3))
            assert screen.told[-1] == ("pin", printed)

    asyncio.run(scene())


async def drag(pilot: object, pane: TerminalPane, start: tuple[int, int], end: tuple[int, int]) -> None:
    from textual.pilot import Pilot

    assert isinstance(pilot, Pilot)
    await pilot.mouse_down(pane, offset=start)
    moved(pane, end, button=1)
    await pilot.pause()
    await pilot.mouse_up(pane, offset=end)


def moved(pane: TerminalPane, to: tuple[int, int], button: int) -> None:
    """The mouse has moved in the pane, with a button pressed or (0) none."""
    pane.post_message(events.MouseMove(pane, *to, 1, 1, button, False, False, False))


def test_dragging_selects_and_ctrl_c_copies_also_while_more_is_printed() -> None:
    async def scene() -> None:
        seat = FakeSeat(many)
        async with pane_of(seat) as (pilot, pane, _):
            await run(pilot, pane, "10")
            await drag(pilot, pane, (4, 2), (5, 3))
            assert pane.selected_text() == "01 up\ndgx-02"
            pane.print(b"more\n" * 100, False)
            await pilot.pause(0.1)
            await resize(pilot, pane, 40, 20)
            assert pane.selected_text() == "01 up\ndgx-02"
            await pilot.press("ctrl+c")
            assert pilot.app.clipboard == "01 up\ndgx-02" and pane.selection is None and seat.interrupts == 0
            await pilot.press("ctrl+c")
            assert seat.interrupts == 1

    asyncio.run(scene())


def test_dragging_backwards_and_typing_ends_a_selection() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "10")
            await drag(pilot, pane, (5, 3), (4, 2))
            assert pane.selected_text() == "01 up\ndgx-02"
            await pilot.press("x")
            assert pane.selection is None

    asyncio.run(scene())


def test_two_clicks_take_a_word_and_three_the_line() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "10")
            await pilot.click(pane, offset=(1, 1), times=2)
            assert pane.selected_text() == "dgx-00"
            await pilot.click(pane, offset=(1, 2), times=3)
            assert pane.selected_text() == "dgx-01 up"

    asyncio.run(scene())


def test_the_middle_button_pastes_and_the_right_one_asks_for_the_menu() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, screen):
            await run(pilot, pane, "10")
            await pilot.click(pane, offset=(1, 1), times=2)
            await pilot.mouse_down(pane, offset=(9, 9), button=2)
            await pilot.pause()
            assert frame(pilot.app)[11] == "ops@dgx-01:~$ dgx-00"
            await pilot.mouse_down(pane, offset=(9, 8), button=3)
            await pilot.pause()
            assert screen.told[-1] == ("menu", 9, 8)

    asyncio.run(scene())


def test_a_click_moves_the_cursor_or_picks_a_candidate() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(echo, words=("sinfo", "squeue"))) as (pilot, pane, _):
            await pilot.press(*"abc")
            await pilot.click(pane, offset=(15, 0))
            await pilot.press("X")
            assert frame(pilot.app)[0] == "ops@dgx-01:~$ aXbc"
            await pilot.press("ctrl+c", "s", "tab", "tab")
            await pilot.click(pane, offset=(frame(pilot.app)[2].index("squeue"), 2))
            assert frame(pilot.app)[1] == "ops@dgx-01:~$ squeue"

    asyncio.run(scene())


def test_clicks_in_a_framed_pane_hit_what_is_under_them() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            pane.styles.border = ("round", "white")
            await pilot.pause()
            await run(pilot, pane, "5")
            await pilot.click(pane, offset=(1, 3), times=2)
            assert pane.selected_text() == "dgx-01"

    asyncio.run(scene())


def test_saving_everything_or_the_selection() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "3")
            await pilot.press("ctrl+b", "w")
            await pilot.click(pane, offset=(1, 1), times=2)
            await pilot.press("ctrl+b", "w")
            texts = sorted(path.read_text() for path in transcripts_folder().iterdir())
            assert texts == ["dgx-00\n", "ops@dgx-01:~$ 3\ndgx-00 up\ndgx-01 up\ndgx-02 up\nops@dgx-01:~$\n"]
            assert await _told(pilot.app, "saved")

    asyncio.run(scene())


async def _told(app: object, text: str) -> bool:
    from textual.app import App

    assert isinstance(app, App)
    return any(text in note.message.lower() for note in app._notifications)


def test_saving_where_nothing_can_be_written_is_told(home: Path) -> None:
    async def scene() -> None:
        transcripts_folder().parent.mkdir(parents=True, exist_ok=True)
        transcripts_folder().write_text("a file")
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            pane.save()
            await pilot.pause()
            assert await _told(pilot.app, "can't be saved")

    asyncio.run(scene())


def test_what_was_copied_can_be_pasted() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "3")
            await pilot.click(pane, offset=(1, 2), times=2)
            await pilot.press("ctrl+b", "y", "ctrl+b", "]")
            await until(pilot, lambda: frame(pilot.app)[4] == "ops@dgx-01:~$ dgx-01")

    asyncio.run(scene())


def test_in_scroll_mode_the_mouse_selects_what_is_copied() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many)) as (pilot, pane, _):
            await run(pilot, pane, "10")
            await pilot.press("ctrl+b", "[")
            await drag(pilot, pane, (0, 2), (5, 2))
            await pilot.press("y")
            assert pilot.app.clipboard == "dgx-01"
            await pilot.press("ctrl+b", "[")
            await pilot.click(pane, offset=(3, 5))
            await pilot.press("v", "ctrl+c")
            assert pilot.app.clipboard == "dgx-04 up" and pane.browsing is None

    asyncio.run(scene())


def test_a_drag_that_ends_elsewhere_has_ended() -> None:
    async def scene() -> None:
        async with pane_of(FakeSeat(many), pane_size=(60, 20)) as (pilot, pane, _):
            await run(pilot, pane, "10")
            await pilot.mouse_down(pane, offset=(4, 2))
            moved(pane, (70, 3), button=1)
            await pilot.pause()
            await pilot.mouse_up(offset=(70, 3))
            await pilot.pause()
            selected = pane.selected_text()
            assert selected == "01 up\ndgx-02 up" and pilot.app.mouse_captured is None
            await pilot.mouse_down(pane, offset=(4, 2))
            moved(pane, (5, 3), button=1)
            moved(pane, (5, 6), button=0)  # let go outside the window
            await pilot.pause()
            assert pane.selected_text() == "01 up\ndgx-02" and pilot.app.mouse_captured is None
            moved(pane, (5, 7), button=0)
            await pilot.pause()
            assert pane.selected_text() == "01 up\ndgx-02"

    asyncio.run(scene())

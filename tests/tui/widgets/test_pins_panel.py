"""The panel of pinned lines."""

from __future__ import annotations

import pytest

from tests.support.drills import Panels, Played, play
from tui.widgets.notes_panel import NotesPanel
from tui.widgets.pins_panel import PinsPanel, shared_out


def test_how_to_pin_is_told_with_the_key() -> None:
    async def act(played: Played[None]) -> None:
        await played.open(Panels(PinsPanel(played.live)))
        assert "^B p: pin a line of the output" in played.screen

    play(act)


def test_pins_have_number_text_command_and_time() -> None:
    async def act(played: Played[None]) -> None:
        panel = PinsPanel(played.live)
        await played.open(Panels(panel))
        assert "◆ 1 GPU4 [lost]" in played.screen
        assert "10:00:00 echo 'GPU4 [lost]'" in played.screen
        await played.live.move(":pin lost")
        panel.show_session()
        await played.settle()
        assert "◆ 2 " in played.screen

    play(act, moves=["echo 'GPU4 [lost]'", ":pin lost"])


LONG = (
    "NVRM: Xid (PCI:0000:9d:00): {number}, pid=2371, name=python3, and very much more than fits into one line of the "
    "panel is said about it {number}"
)


def long_pins(count: int) -> list[str]:
    """Moves that pin lines which differ at their ends only."""
    texts = [LONG.format(number=number) for number in range(count)]
    return [move for text in texts for move in (f"echo '[Mon Nov 30 09:21:33 2026] {text}'", f":pin {text}")]


@pytest.mark.parametrize(
    ("wanted", "spare", "given"),
    [([3, 3, 3], 9, [3, 3, 3]), ([3, 3, 3], 3, [1, 2, 3]), ([3, 1, 2], 0, [1, 1, 1]), ([2], -4, [1]), ([], 5, [])],
)
def test_the_newest_pins_get_the_room_first(wanted: list[int], spare: int, given: list[int]) -> None:
    assert shared_out(wanted, spare) == given


def test_a_long_pin_is_told_whole_where_there_is_room() -> None:
    async def act(played: Played[None]) -> None:
        await played.open(Panels(PinsPanel(played.live)))
        assert "about it 0" in played.screen
        assert "[Mon Nov 30" in played.screen

    play(act, moves=long_pins(1), size=(80, 24))


def test_where_there_is_little_room_the_pins_can_be_told_apart() -> None:
    async def act(played: Played[None]) -> None:
        panel = PinsPanel(played.live)
        await played.open(Panels(panel, NotesPanel(played.live)))
        assert all(f"about it {number}" in played.screen for number in range(6))
        assert panel.outer_size.height <= 20
        await played.pilot.resize_terminal(80, 50)
        await played.settle()
        assert played.screen.count("Mon Nov 30") == 12

    play(act, moves=long_pins(6), size=(80, 24))


def test_long_lines_are_cut_with_the_sign_of_the_set() -> None:
    async def act(played: Played[None]) -> None:
        await played.open(Panels(PinsPanel(played.live)))
        pin = next(line for line in played.screen.splitlines() if "# 1 NVRM" in line)
        assert "~" in pin
        assert pin.isascii() or pin.strip("│ ").isascii()

    play(act, moves=long_pins(10), glyphs="ascii")

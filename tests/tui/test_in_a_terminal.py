"""The program in a real terminal (a pty), and the screen that these tests see it on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.pty_screen import InTerminal
from tests.support.terminal_screen import TerminalScreen

PAINTED = "\x1b[?1049h\x1b[2J\x1b[2;3H\x1b[38;2;1;2;3mred\x1b[0m 漢\x1b]0;title\x07\x1b[1;1Htop\r\nx\x1b[K\x1b[>1u"


def painted(*pieces: str) -> list[str]:
    screen = TerminalScreen(20, 4)
    for piece in pieces:
        screen.feed(piece)
    return screen.lines


def test_the_screen_holds_what_was_written_where() -> None:
    assert painted("\x1b[2;3Hred 漢\x1b[1;1Htop") == ["top", "  red 漢", "", ""]
    assert painted("\x1b[3;19Habc")[2:] == ["                  ab", "c"]
    assert painted("old\x1b[2J\x1b[1;2Hn\r\nm") == [" n", "m", "", ""]


@given(st.integers(0, len(PAINTED)), st.integers(0, len(PAINTED)))
def test_what_is_cut_anywhere_is_the_same(one: int, other: int) -> None:
    first, second = sorted((one, other))
    assert painted(PAINTED[:first], PAINTED[first:second], PAINTED[second:]) == painted(PAINTED)


@given(st.text(st.characters(max_codepoint=0x3000), max_size=200))
def test_nothing_that_is_written_is_a_fault(text: str) -> None:
    assert len(painted(text)) == 4


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pty here")
def test_it_opens_answers_keys_and_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    with InTerminal(["breakfix"], home=tmp_path) as terminal:
        terminal.wait_for("breakfix")
        terminal.wait(lambda screen: "Menu" in screen.lines[-1])
        terminal.press("ctrl+b")
        terminal.wait(lambda screen: "Quit" in screen.lines[-1])
        terminal.press("Q")
        assert terminal.ended() == 0
        assert "\x1b[?1049l" in terminal.raw and "\x1b[?25h" in terminal.raw


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pty here")
def test_it_comes_through_any_size(tmp_path: Path) -> None:
    with InTerminal(["breakfix"], home=tmp_path) as terminal:
        terminal.wait_for("breakfix")
        for columns, rows in ((200, 60), (40, 10), (1, 1), (80, 24)):
            terminal.resize(columns, rows)
            terminal.settle(0.2)
        terminal.wait_for("breakfix")
        terminal.press("ctrl+b", "Q")
        assert terminal.ended() == 0

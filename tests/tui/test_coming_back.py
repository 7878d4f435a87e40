"""Sessions come back: after the program was killed, after it crashed, and after somebody left."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.support.pty_screen import InTerminal

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pty here"),
    pytest.mark.slow,
]

CRASHING = """
from tui import full_screen
from tui.opening import Opening
from tui.screens.workspace import Workspace

async def broken(self):
    raise KeyError("[nothing] of that name")

Workspace.on_tab_bar_new_wanted = broken
full_screen.run(full_screen.sandbox(Opening("dgx-h100-4", 1)))
"""


def enter(terminal: InTerminal, line: str, shown: str) -> None:
    before = terminal.screen.text.count("alex@")
    terminal.type(line)
    terminal.press("enter")
    terminal.wait(lambda screen: shown in screen.text and screen.text.rstrip().count("alex@") > before)


def test_killed_in_the_middle_it_is_taken_up_from_home(tmp_path: Path) -> None:
    with InTerminal(["breakfix", "drill", "driver-library-mismatch", "--seed", "3"], home=tmp_path) as terminal:
        terminal.wait_for("Back to the terminal")
        terminal.press("escape")
        terminal.wait_for("alex@")
        enter(terminal, "echo kept-$((20+3))", "kept-23")
        os.kill(terminal.process.pid, signal.SIGKILL)
    with InTerminal(["breakfix"], home=tmp_path) as terminal:
        terminal.wait_for("Go on with")
        terminal.press("enter")
        terminal.wait_for("kept-23")
        enter(terminal, "echo again", "\nagain")
        terminal.press("ctrl+b", "Q")
        assert terminal.ended() == 0


def test_after_a_crash_it_says_so_and_goes_on_where_it_was(tmp_path: Path) -> None:
    with InTerminal([sys.executable, "-c", CRASHING], home=tmp_path) as terminal:
        terminal.wait_for("alex@")
        enter(terminal, "echo kept > file; echo done-$((1+1))", "done-2")
        terminal.click_on("+")
        terminal.wait_for("breakfix had a fault")
        terminal.wait_for("KeyError: '[nothing] of that name'")
        assert (tmp_path / "reports" / "report-1.txt").exists()
        terminal.press("enter")
        terminal.wait_for("done-2")
        enter(terminal, "cat file", "\nkept")
        terminal.press("ctrl+b", "Q")
        assert terminal.ended() == 0


def test_leaving_keeps_a_session_and_an_empty_one_is_not_kept(tmp_path: Path) -> None:
    with InTerminal(["breakfix", "shell"], home=tmp_path) as terminal:
        terminal.wait_for("alex@")
        terminal.press("ctrl+b", "q")
        terminal.wait_for("Drills")
        assert "Go on with" not in terminal.screen.text
        terminal.press("ctrl+b", "Q")
        assert terminal.ended() == 0
    assert list((tmp_path / "sessions").glob("*.jsonl")) == []


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_asked_to_end_it_leaves_the_terminal_as_it_was_and_keeps_the_session(tmp_path: Path, name: str) -> None:
    with InTerminal(["breakfix", "shell"], home=tmp_path) as terminal:
        terminal.wait_for("alex@")
        enter(terminal, "echo kept", "\nkept")
        os.kill(terminal.process.pid, getattr(signal, name))
        assert terminal.ended() == 0
        assert "\x1b[?1049l" in terminal.raw and "\x1b[?25h" in terminal.raw
    assert len(list((tmp_path / "sessions").glob("*.jsonl"))) == 1


def test_a_mistake_in_the_keymap_file_is_told_in_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "keymap.toml").write_text('"x[/nope]" = ["y"]\n', encoding="utf-8")
    with InTerminal(["breakfix"], home=tmp_path, columns=120, rows=36) as terminal:
        terminal.wait_for("x[/nope]")
        terminal.press("q")
        assert terminal.ended() == 0


def test_a_line_typed_straight_after_a_new_tab_runs_there(tmp_path: Path) -> None:
    with InTerminal(["breakfix", "shell"], home=tmp_path) as terminal:
        terminal.wait_for("alex@")
        terminal.type('\x02cecho bu""rst\r')
        terminal.wait_for("\nburst")
        terminal.wait(lambda screen: screen.lines[1].startswith(" 1 head-01  2 head-01"))
        assert terminal.screen.text.count("burst") == 1, "the line itself has a quote in the word"
        assert terminal.screen.lines[2].startswith("alex@head-01:~$ echo bu")


def test_a_fast_line_over_the_briefing_reaches_the_terminal_whole(tmp_path: Path) -> None:
    with InTerminal(["breakfix", "drill", "all-quiet", "--seed", "1"], home=tmp_path) as terminal:
        terminal.wait_for("Back to the terminal")
        terminal.type('echo fir""st\r')
        terminal.wait_for("\nfirst")


def test_it_says_when_nothing_can_be_saved() -> None:
    with InTerminal(["breakfix", "shell"], home=Path("/dev/null/x"), columns=120, rows=36) as terminal:
        terminal.wait_for("not saved")
        terminal.press("ctrl+b", "Q")
        assert terminal.ended() == 0


def test_on_a_dumb_terminal_ctrl_c_ends_the_line_and_not_breakfix(tmp_path: Path) -> None:
    words = ["breakfix", "drill", "all-quiet", "--seed", "1"]
    with InTerminal(words, home=tmp_path, columns=120, rows=60, environment={"TERM": "dumb"}) as terminal:
        terminal.wait_for("alex@head-01:~$")
        terminal.type("half a li")
        terminal.press("ctrl+c")
        enter(terminal, "echo whole-$((1+1))", "whole-2")
        terminal.type(":quit\r")
        assert terminal.ended() == 1

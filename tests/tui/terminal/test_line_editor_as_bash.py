"""The editor against bash itself: the same keys make the same line, with the cursor at the same place."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import termios
from collections.abc import Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.shell.completion import Completion
from tui.terminal.line_editor import LineEditor, OutcomeKind

PAST = ("ls -l /tmp", "echo 'two words' | grep -c foo", "ssh dgx-01", "ssh dgx-01", "make all; cat a_b.txt", "ls")
SCRIPT = (  # in one line: bash would take the next ones for history
    'set -o history; for line; do history -s -- "$line"; done; '
    "while IFS= read -er line; do printf '%s\\n' \"$line\" >&3; done"
)
CURSOR = "@"

# what the editor calls a key -> what a terminal sends for it
KEYS = {
    "left": "\x1b[D", "right": "\x1b[C", "up": "\x1b[A", "down": "\x1b[B", "home": "\x1b[H", "end": "\x1b[F",
    "ctrl+b": "\x02", "ctrl+f": "\x06", "ctrl+a": "\x01", "ctrl+e": "\x05", "ctrl+p": "\x10", "ctrl+n": "\x0e",
    "alt+b": "\x1bb", "alt+f": "\x1bf", "alt+<": "\x1b<", "alt+>": "\x1b>", "backspace": "\x7f", "delete": "\x1b[3~",
    "ctrl+k": "\x0b", "ctrl+u": "\x15", "ctrl+w": "\x17", "alt+d": "\x1bd", "alt+backspace": "\x1b\x7f",
    "ctrl+y": "\x19", "alt+y": "\x1by", "alt+.": "\x1b.", "ctrl+t": "\x14", "alt+t": "\x1bt", "alt+u": "\x1bu",
    "alt+l": "\x1bl", "alt+c": "\x1bc", "alt+\\": "\x1b\\", "alt+r": "\x1br", "ctrl+r": "\x12", "ctrl+s": "\x13",
    "ctrl+_": "\x1f",
}  # fmt: skip


def bash_is_here() -> bool:
    """Whether there is a bash whose keys ours are."""
    if not shutil.which("bash"):
        return False
    return "version 5.2" in subprocess.run(["bash", "--version"], capture_output=True, text=True, check=False).stdout


pytestmark = pytest.mark.skipif(not bash_is_here(), reason="needs bash 5.2")


def as_bash(keys: Sequence[str]) -> str:
    """The line that bash's own editor makes of these keys."""
    terminal, side = pty.openpty()
    modes = termios.tcgetattr(side)
    modes[0] &= ~termios.IXON
    termios.tcsetattr(side, termios.TCSANOW, modes)
    reading, writing = os.pipe()
    command = ["bash", "--norc", "--noprofile", "-c", f"exec 3>&{writing}; {SCRIPT}", "bash", *PAST]
    environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null"}
    sent = "".join(KEYS.get(key, key) for key in keys) + CURSOR + "\r"
    process = subprocess.Popen(
        command, stdin=side, stdout=side, stderr=side, env=environment, pass_fds=[writing], start_new_session=True
    )
    try:
        os.close(writing)
        os.read(terminal, 1)  # it has begun to edit
        os.write(terminal, sent.encode())
        line = b""
        while not line.endswith(b"\n"):
            assert select.select([reading], [], [], 30)[0], "bash does not answer"
            piece = os.read(reading, 4096)
            assert piece, "bash has ended"
            line += piece
        return line.decode()[:-1]
    finally:
        process.kill()
        process.wait()
        for one in (terminal, side, reading):
            os.close(one)


def as_ours(keys: Sequence[str]) -> str:
    """The line that our editor makes of them."""
    editor = LineEditor(lambda _line, _cursor: Completion(0, ()), lambda: PAST)
    editor.begin("$ ")
    for key in [*keys, CURSOR]:
        editor.press(key, key if len(key) == 1 else None)
    outcome = editor.press("enter", "\r")
    assert outcome is not None
    assert outcome.kind is OutcomeKind.SUBMITTED
    return outcome.text


SEARCHES = {"ctrl+r", "ctrl+s"}
UNDO = {"ctrl+_", "alt+r"}  # bash takes letters that come at once for one edit
typing = st.sampled_from(["a", "Zb", " ", "-", "foo bar", "x_y.z", "  ", "/", "é", "世", "9"]).map(list)
LOSING = {"alt+<"}  # bash loses edits of the first line when it is asked for it once more
pressing = st.sampled_from(sorted(set(KEYS) - SEARCHES - UNDO - LOSING)).map(lambda key: [key])
editing = st.lists(typing | pressing | pressing, max_size=25).map(lambda parts: [key for part in parts for key in part])
words = st.sampled_from(["l", "o", "ls", "ssh", "dgx", "a", "c", "cat ", "two", "-"])


@settings(max_examples=200)
@given(editing)
def test_any_keys_make_the_line_that_bash_makes(keys: list[str]) -> None:
    assert as_ours(keys) == as_bash(keys)


@settings(max_examples=100)
@given(words, st.integers(0, 2), st.sampled_from(["left", "ctrl+e", "up", "alt+d"]), editing)
def test_a_search_finds_what_bash_finds(word: str, again: int, accepting: str, then: list[str]) -> None:
    keys = ["ctrl+r", *word, *["ctrl+r"] * again]
    editor = LineEditor(lambda _line, _cursor: Completion(0, ()), lambda: PAST)
    for key in keys:
        editor.press(key, key if len(key) == 1 else None)
    assume("failed" not in "".join(editor.picture(200).rows))  # bash then puts the cursor anywhere
    keys.append(accepting)
    assert as_ours([*keys, *then]) == as_bash([*keys, *then])


@pytest.mark.parametrize(
    "command", ["ctrl+k", "ctrl+u", "ctrl+w", "alt+d", "alt+backspace", "delete", "alt+c", "alt+."]
)
def test_undo_leaves_the_cursor_where_bash_leaves_it(command: str) -> None:
    keys = [*"one two three", "alt+b", "left", command, command, "ctrl+_"]
    assert as_ours(keys) == as_bash(keys)

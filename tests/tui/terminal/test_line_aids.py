"""What helps at a prompt: the rest of an earlier line, and colours for the parts of a line."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.shell.completion import Completion
from tests.tui.terminal.test_line_editor import press, state
from tui.terminal.line_aids import LineAids
from tui.terminal.line_colours import COMMAND, COMMENT, KEYWORD, OPERATOR, OPTION, STRING, UNKNOWN, VARIABLE, coloured
from tui.terminal.line_editor import LineEditor
from tui.terminal.sgr import read

PAST = ["sinfo -N -l", "ssh dgx-01 nvidia-smi", "ssh dgx-02 nvidia-smi -q", "echo one\necho two"]
KNOWN = {"ssh", "sinfo", "echo", "grep", "sudo", "dmesg", "for"}


def editor(text: str, *, suggests: bool = True, colours: bool = True) -> LineEditor:
    made = LineEditor(lambda _l, _c: Completion(0, ()), lambda: PAST, LineAids(KNOWN.__contains__, suggests, colours))
    made.begin("$ ", text=text)
    return made


def screen(made: LineEditor, columns: int = 80) -> list[str]:
    return [read(row).text for row in made.picture(columns).rows]


def test_the_newest_line_that_begins_so_is_suggested() -> None:
    made = editor("ssh")
    assert made.suggestion == " dgx-02 nvidia-smi -q" and screen(made) == ["$ ssh dgx-02 nvidia-smi -q"]
    assert made.picture(80).cursor == (0, 5), "the cursor stays where one types"
    assert editor("ssh dgx-01").suggestion == " nvidia-smi"
    for text in ("", "s", "lspci", "ssh dgx-02 nvidia-smi -q", "echo one"):
        assert editor(text).suggestion == "", text
    assert editor("ssh", suggests=False).suggestion == ""


@pytest.mark.parametrize("key", ["right", "end", "ctrl+e", "ctrl+f"])
def test_a_key_that_could_not_move_further_takes_it(key: str) -> None:
    made = editor("ssh")
    press(made, key)
    assert state(made) == "ssh dgx-02 nvidia-smi -q|"
    press(made, "ctrl+_")
    assert made.text == "ssh"


def test_a_word_of_it_can_be_taken() -> None:
    made = editor("ssh")
    press(made, "alt+f")
    assert state(made) == "ssh dgx|"
    press(made, "alt+f")
    assert state(made) == "ssh dgx-02|" and made.suggestion == " nvidia-smi -q"


def test_nothing_is_suggested_inside_a_line_or_to_who_searches_or_hides() -> None:
    made = editor("ssh")
    press(made, "left")
    assert made.suggestion == "" and press(made, "right") and state(made) == "ssh|"
    press(made, "ctrl+r")
    assert made.suggestion == ""
    hidden = editor("")
    hidden.begin("Password: ", hidden=True, text="ssh")
    assert hidden.suggestion == "" and screen(hidden) == ["Password: "]


def test_a_line_that_was_entered_is_not_longer_than_what_was_typed() -> None:
    made = editor("ssh")
    outcome = press(made, "enter")
    assert outcome is not None and outcome.text == "ssh"


def test_a_suggestion_ends_with_its_row() -> None:
    assert screen(editor("ssh"), 12) == ["$ ssh dgx-02"]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("ssh dgx-01 -v", {"ssh": COMMAND, "-v": OPTION}),
        ("sshh dgx-01", {"sshh": UNKNOWN}),
        ("sudo dmesg | grep 'Xid 79' # look", {
            "sudo": COMMAND, "dmesg": COMMAND, "|": OPERATOR, "grep": COMMAND, "'Xid 79'": STRING, "# look": COMMENT,
        }),
        ("A=1 echo $A \"$B\"", {"echo": COMMAND, "$A": VARIABLE, '"$B"': STRING}),
        ("for i in 1 2; do echo $i; done", {
            "for": KEYWORD, ";": OPERATOR, "do": KEYWORD, "echo": COMMAND, "$i": VARIABLE, "done": KEYWORD,
        }),
        ("/usr/bin/thing 2>&1", {"/usr/bin/thing": COMMAND, "2>&1": OPERATOR}),
        ("echo 'open", {"echo": COMMAND, "'open": STRING}),
        ("", {}),
    ],
)  # fmt: skip
def test_parts_have_colours(line: str, parts: dict[str, str]) -> None:
    found = coloured(line, KNOWN.__contains__)
    assert {line[one.start : one.end]: one.sgr for one in found} == parts
    assert all(before.end <= after.start for before, after in pairwise(found))


def test_a_word_that_is_being_typed_is_not_called_unknown_yet() -> None:
    assert not coloured("sin", KNOWN.__contains__, cursor=3)
    assert coloured("sin ", KNOWN.__contains__, cursor=4)[0].sgr == UNKNOWN


def test_colours_change_no_text_and_no_place() -> None:
    line = "sudo dmesg | grep 'two words' | echo $HOME"
    for columns in (7, 20, 80):
        plain, with_colours = editor(line, colours=False), editor(line)
        assert screen(plain, columns) == screen(with_colours, columns)
        assert plain.picture(columns).cursor == with_colours.picture(columns).cursor
    assert "\x1b" not in plain.picture(80).rows[0] and "\x1b[33m" in with_colours.picture(80).rows[0]

"""What holds of the line editor whatever is pressed."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from engine.shell.completion import Completion
from tui.terminal.line_editor import LineEditor, OutcomeKind
from tui.terminal.line_keys import COMMANDS, PREFIXES

PAST = ("ls -l", "echo 世界 | wc", "x" * 50, "for one in a b\ndo echo\ndone", "tab\there \x1b[31m")
NAMES = ("alpha ", "alpine ", "世 ", "世界/", "odd\x07 ", "e\u0301 ")
PROMPT = "\x1b[32mme\x1b[0m:~$ "
SGR = re.compile(r"\x1b\[[0-9;]*m")

own_keys = [
    "enter", "ctrl+c", "ctrl+d", "ctrl+l", "ctrl+r", "ctrl+s", "ctrl+g", "tab", "shift+tab", "alt+#", "pageup", "f5",
    "space", "ctrl+q", "alt+q", "ctrl+underscore", "", "shift+space",
]  # fmt: skip
keys = st.sampled_from([*COMMANDS, *PREFIXES, *own_keys, *["tab", "tab", "ctrl+r", "escape"]])
presses = st.tuples(keys, st.none() | st.characters()) | st.characters().map(lambda one: (one, one))
pasted = st.text(max_size=30).map(lambda text: ("paste", text))
plain_texts = st.text(st.sampled_from("ab 世界é\u0301\u200d\ufe0f❤👩🇩\n[/-"), max_size=60)


def complete(line: str, cursor: int) -> Completion:
    word = line[:cursor].rpartition(" ")[2]
    return Completion(len(word), tuple(name for name in NAMES if name.startswith(word)))


def new_editor(text: str = "") -> LineEditor:
    editor = LineEditor(complete, lambda: PAST)
    editor.begin(PROMPT, text=text)
    return editor


def do(editor: LineEditor, what: tuple[str, str | None]) -> None:
    if what[0] == "paste":
        editor.paste(what[1] or "")
    else:
        editor.press(*what)


@given(st.lists(presses | presses | pasted, max_size=40), st.integers(1, 40), st.booleans())
def test_any_keys_keep_the_line_whole(pressed: list[tuple[str, str | None]], columns: int, hidden: bool) -> None:
    editor = new_editor()
    editor.begin(PROMPT, hidden=hidden)
    for what in pressed:
        do(editor, what)
        assert 0 <= editor.cursor <= len(editor.text)
        assert all(one == "\n" or one.isprintable() or ord(one) >= 0xA0 for one in editor.text)
        picture = editor.picture(columns)
        rows = [SGR.sub("", row) for row in picture.rows]
        assert all(cell_len(row) <= max(columns, 2) for row in rows)
        assert not any("\x1b" in row or "\n" in row for row in rows)
        assert 0 <= picture.cursor[0] < len(rows)
        assert 0 <= picture.cursor[1] < max(columns, 2)


@given(plain_texts, st.integers(2, 90))
def test_the_rows_together_are_the_text(text: str, columns: int) -> None:
    editor = new_editor(text)
    rows = "".join(SGR.sub("", row) for row in editor.picture(columns).rows)
    assert rows == SGR.sub("", PROMPT) + editor.text.replace("\n", "")


@given(plain_texts, st.integers(2, 90), st.data())
def test_a_click_puts_the_cursor_where_it_is_shown(text: str, columns: int, data: st.DataObject) -> None:
    editor = new_editor(text)
    for _ in range(data.draw(st.integers(0, len(text)))):
        editor.press("left", None)
    cell = editor.picture(columns).cursor
    editor.press("home", None)
    editor.put_cursor(columns, *cell)
    assert editor.picture(columns).cursor == cell


@given(plain_texts, st.lists(presses | pasted, max_size=30))
def test_undo_comes_back_to_the_start(text: str, pressed: list[tuple[str, str | None]]) -> None:
    editor = new_editor(text)
    begun_with = editor.text
    for what in pressed:
        do(editor, what)
    for key in ("x", "ctrl+a", "alt+>"):  # out of searches and menus, back to the line that was typed
        editor.press(key, key if len(key) == 1 else None)
    for _ in range(5000):
        outcome = editor.press("ctrl+_", None)
        if outcome and outcome.kind is OutcomeKind.BELL:
            break
    assert editor.text == begun_with


@given(plain_texts, st.lists(st.sampled_from(["ctrl+w", "ctrl+u", "alt+backspace", "ctrl+k", "alt+d"]), min_size=1))
def test_what_is_cut_in_a_row_comes_back_as_it_was(text: str, cuts: list[str]) -> None:
    editor = new_editor(text)
    editor.press("alt+b", None)
    before, length, cursor = editor.text, len(editor.text), editor.cursor
    for cut in cuts:
        outcome = editor.press(cut, None)
        if outcome and outcome.kind is OutcomeKind.BELL:  # it ends the row
            break
        length = len(editor.text)
    if length == len(before):
        return
    editor.press("ctrl+y", None)
    assert editor.text == before
    assert editor.cursor >= cursor or length < len(before)


@given(st.lists(keys, max_size=40))
def test_browsing_and_editing_leave_the_past_alone(pressed: list[str]) -> None:
    past = list(PAST)
    editor = LineEditor(complete, lambda: past)
    editor.begin(PROMPT)
    for key in pressed:
        editor.press(key, None)
    assert past == list(PAST)
    editor.begin(PROMPT)
    editor.press("up", None)
    assert editor.text == "tab     here [31m"

"""Keys on the command line, one by one: what bash's users know."""

from __future__ import annotations

import pytest

from engine.shell.completion import Completion
from tui.terminal.line_editor import KEYS, LineEditor, Outcome, OutcomeKind

PAST = ["ls -l /tmp", "echo 'two words'|wc", "ssh dgx-01"]


def press(editor: LineEditor, *keys: str) -> Outcome | None:
    """The outcome of the last key. A letter types itself."""
    outcome = None
    for key in keys:
        outcome = editor.press(key, " " if key == "space" else key if len(key) == 1 else None)
    return outcome


def editor_with(text: str = "", *keys: str, prompt: str = "$ ", hidden: bool = False) -> LineEditor:
    """An editor in the middle of its work; `|` in the text is the cursor."""
    editor = LineEditor(lambda _line, _cursor: Completion(0, ()), lambda: PAST)
    editor.begin(prompt, hidden=hidden, text=text.replace("|", ""))
    if "|" in text:
        press(editor, "home", *["right"] * text.index("|"))
    press(editor, *keys)
    return editor


def state(editor: LineEditor) -> str:
    """The text with the cursor in it."""
    return f"{editor.text[: editor.cursor]}|{editor.text[editor.cursor :]}"


def shown(editor: LineEditor, columns: int = 80) -> list[str]:
    return list(editor.picture(columns).rows)


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ("ab|c", ["left"], "a|bc"),
        ("ab|c", ["ctrl+b"], "a|bc"),
        ("ab|c", ["right"], "abc|"),
        ("ab|c", ["ctrl+f"], "abc|"),
        ("e\u0301x|", ["left", "left"], "|e\u0301x"),
        ("one two-three|", ["alt+b"], "one two-|three"),
        ("one two-three|", ["ctrl+left", "ctrl+left"], "one |two-three"),
        ("|one two", ["alt+f"], "one| two"),
        ("|one two", ["ctrl+right", "ctrl+right"], "one two|"),
        ("ab|c", ["home"], "|abc"),
        ("ab|c", ["ctrl+a"], "|abc"),
        ("ab|c", ["end"], "abc|"),
        ("ab|c", ["ctrl+e"], "abc|"),
        ("ab|c", ["backspace"], "a|c"),
        ("ab|c", ["ctrl+h"], "a|c"),
        ("xe\u0301|", ["backspace"], "x|"),
        ("a|bc", ["delete"], "a|c"),
        ("a|bc", ["ctrl+d"], "a|c"),
        ("a|bc", ["ctrl+k"], "a|"),
        ("ab|c", ["ctrl+u"], "|c"),
        ("ab|c", ["ctrl+x", "backspace"], "|c"),
        ("ls /var/log|", ["ctrl+w"], "ls |"),
        ("ls /var/log|", ["alt+backspace"], "ls /var/|"),
        ("ls |/var/log", ["alt+d"], "ls |/log"),
        ("ls /var/log|", ["ctrl+w", "ctrl+y"], "ls /var/log|"),
        ("a b c|", ["ctrl+w", "ctrl+w", "ctrl+a", "ctrl+y"], "b c|a "),
        ("a b|", ["ctrl+w", "left", "ctrl+u", "ctrl+e", "ctrl+y", "alt+y"], " b|"),
        ("ab|c", ["ctrl+t"], "acb|"),
        ("abc|", ["ctrl+t"], "acb|"),
        ("one |two", ["alt+t"], "two one|"),
        ("|one two", ["alt+u"], "ONE| two"),
        ("|ONE two", ["alt+l"], "one| two"),
        ("|oNE two", ["alt+c"], "One| two"),
        ("a  |  b", ["alt+\\"], "a|b"),
        ("|", ["a", "ctrl+w", "b", "ctrl+underscore", "ctrl+_"], "a|"),
        ("|", ["a", "ctrl+w", "ctrl+x", "ctrl+u"], "a|"),
        ("abc|", ["x", "ctrl+a", "delete", "alt+r"], "abc|"),
        ("cat |", ["alt+."], "cat dgx-01|"),
        ("cat |", ["alt+full_stop", "alt+."], "cat wc|"),
        ("cat |", ["alt+.", "alt+.", "alt+."], "cat /tmp|"),
        ("a b|", ["escape", "b"], "a |b"),
        ("a b|", ["escape", "n"], "a bn|"),
        ("a|", ["alt+shift+b"], "|a"),
        ("|", ["a", "space", "é", "世"], "a é世|"),
        ("ab|c", ["[", "]"], "ab[]|c"),
    ],
)
def test_editing_keys(before: str, keys: list[str], after: str) -> None:
    assert state(editor_with(before, *keys)) == after


@pytest.mark.parametrize(
    ("before", "key"),
    [
        ("|", "left"), ("|", "right"), ("|", "backspace"), ("|", "delete"), ("|a", "ctrl+u"), ("|", "ctrl+k"),
        ("|", "ctrl+y"), ("a|", "alt+y"), ("|", "ctrl+_"), ("|ab", "ctrl+t"), ("a|", "alt+t"), ("a|", "ctrl+d"),
        ("|", "down"), ("|", "ctrl+g"), ("|", "tab"),
    ],
)  # fmt: skip
def test_a_bell_when_there_is_nothing_to_do(before: str, key: str) -> None:
    editor = editor_with(before)
    assert press(editor, key) == Outcome(OutcomeKind.BELL)
    assert state(editor) == before


@pytest.mark.parametrize("key", ["pageup", "pagedown", "f2", "insert", "ctrl+q", "ctrl+z", "alt+q", "shift+pageup"])
def test_other_keys_are_not_taken(key: str) -> None:
    editor = editor_with("ab|c")
    assert press(editor, key) is None
    assert state(editor) == "ab|c"


@pytest.mark.parametrize("key", ["enter", "ctrl+m", "ctrl+j"])
def test_enter_gives_the_whole_line(key: str) -> None:
    assert press(editor_with("ab|c"), key) == Outcome(OutcomeKind.SUBMITTED, "abc")


def test_a_comment_is_entered() -> None:
    assert press(editor_with("ab|c"), "alt+#") == Outcome(OutcomeKind.SUBMITTED, "#abc")


def test_control_c_and_l() -> None:
    editor = editor_with("ab|c")
    assert press(editor, "ctrl+l") == Outcome(OutcomeKind.CLEAR_SCREEN)
    assert state(editor) == "ab|c"
    assert press(editor, "ctrl+c") == Outcome(OutcomeKind.ABORTED, "abc")


def test_control_d_ends_only_where_nothing_was_deleted_with_it() -> None:
    assert press(editor_with(""), "ctrl+d") == Outcome(OutcomeKind.END_OF_INPUT)
    assert press(editor_with("|a"), "ctrl+d", "ctrl+d") == Outcome(OutcomeKind.BELL)
    assert press(editor_with("|a"), "ctrl+d", "x", "backspace", "ctrl+d") == Outcome(OutcomeKind.END_OF_INPUT)


def test_what_was_cut_stays_for_the_next_line() -> None:
    editor = editor_with("ls /tmp|", "ctrl+w")
    editor.begin("$ ")
    press(editor, "ctrl+y")
    assert editor.text == "/tmp"


def test_history_keeps_the_line_being_typed_and_edits_until_enter() -> None:
    editor = editor_with("new|", "up")
    assert state(editor) == "ssh dgx-01|"
    press(editor, "backspace", "2", "ctrl+p")
    assert editor.text == "echo 'two words'|wc"
    assert press(editor, "up", "up") == Outcome(OutcomeKind.BELL)
    assert editor.text == "ls -l /tmp"
    press(editor, "alt+>")
    assert state(editor) == "new|"
    press(editor, "ctrl+p")
    assert editor.text == "ssh dgx-02"
    editor.begin("$ ")
    press(editor, "up")
    assert editor.text == PAST[-1] == "ssh dgx-01"
    press(editor, "alt+<")
    assert editor.text == "ls -l /tmp"
    press(editor, "ctrl+n")
    assert editor.text == "echo 'two words'|wc"


def test_lines_are_undone_one_by_one() -> None:
    editor = editor_with("new|", "x", "up", "y", "ctrl+_")
    assert editor.text == "ssh dgx-01"
    assert press(editor, "ctrl+_") == Outcome(OutcomeKind.BELL)
    press(editor, "down", "ctrl+_")
    assert editor.text == "new"


def test_search_shows_what_bash_shows() -> None:
    editor = editor_with("new|", "ctrl+r")
    assert shown(editor) == ["(reverse-i-search)`': new"]
    press(editor, "w")
    assert shown(editor) == ["(reverse-i-search)`w': ne\x1b[7mw\x1b[0m"]
    press(editor, "o")
    assert shown(editor) == ["(reverse-i-search)`wo': echo 'two \x1b[7mwo\x1b[0mrds'|wc"]
    assert press(editor, "ctrl+r") == Outcome(OutcomeKind.CHANGED)
    assert shown(editor) == ["(reverse-i-search)`wo': echo 't\x1b[7mwo\x1b[0m words'|wc"]
    assert press(editor, "z") == Outcome(OutcomeKind.BELL)
    assert shown(editor) == ["(failed reverse-i-search)`woz': echo 'two words'|wc"]
    press(editor, "backspace", "ctrl+s", "ctrl+s")
    assert shown(editor) == ["(i-search)`wo': echo 'two \x1b[7mwo\x1b[0mrds'|wc"]


def test_search_keeps_the_upper_rows_of_the_prompt() -> None:
    assert shown(editor_with("", "ctrl+r", "s", prompt="above\n$ "))[0] == "above"


def test_search_is_accepted_by_other_keys() -> None:
    assert state(editor_with("", *["ctrl+r", "w", "o", "escape"])) == "echo 'two |words'|wc"
    assert state(editor_with("", *["ctrl+r", "w", "o", "ctrl+a"])) == "|echo 'two words'|wc"
    assert state(editor_with("", *["ctrl+r", "w", "o", "up"])) == "ls -l /tmp|"
    assert press(editor_with("", "ctrl+r", "l"), "enter") == Outcome(OutcomeKind.SUBMITTED, "ls -l /tmp")
    assert press(editor_with("", "ctrl+r", "l"), "ctrl+c") == Outcome(OutcomeKind.ABORTED, "ls -l /tmp")


def test_a_key_of_others_leaves_the_search_open() -> None:
    editor = editor_with("", "ctrl+r", "l")
    assert press(editor, "pageup") is None
    assert shown(editor)[0].startswith("(reverse-i-search)`l'")


def test_search_is_left_with_the_line_as_it_was() -> None:
    assert state(editor_with("ne|w", "ctrl+r", "d", "g", "ctrl+g")) == "ne|w"


def test_search_again_seeks_the_last_text() -> None:
    editor = editor_with("", "ctrl+r", "t", "m", "p", "enter")
    editor.begin("$ ")
    press(editor, "ctrl+r", "ctrl+r")
    assert editor.text == "ls -l /tmp"


def test_search_takes_more_of_the_line_and_pasted_text() -> None:
    editor = editor_with("", "ctrl+r", "d", "ctrl+w")
    assert shown(editor)[0].startswith("(reverse-i-search)`dgx':")
    press(editor, "ctrl+y")
    assert shown(editor)[0].startswith("(reverse-i-search)`dgx-01':")
    editor = editor_with("", "ctrl+r")
    editor.paste("-l")
    assert editor.text == "ls -l /tmp"


def test_a_hidden_line_shows_and_keeps_nothing() -> None:
    editor = editor_with("", *"secret", prompt="Password: ", hidden=True)
    assert shown(editor) == ["Password: "]
    assert editor.picture(80).cursor == (0, len("Password: "))
    assert editor.echo == "Password: "
    assert [press(editor, key) for key in ("up", "tab", "ctrl+r")] == [Outcome(OutcomeKind.BELL)] * 3
    assert press(editor, "enter") == Outcome(OutcomeKind.SUBMITTED, "secret")
    press(editor, "ctrl+u")
    editor.begin("$ ")
    assert press(editor, "ctrl+y") == Outcome(OutcomeKind.BELL)
    assert editor.text == ""


def test_text_from_elsewhere() -> None:
    editor = editor_with("a|d")
    editor.paste("b\r\n\tc\x1b[31m\x07\u2028\ud800")
    assert state(editor) == "ab\n        c[31m|d"
    assert press(editor, "enter") == Outcome(OutcomeKind.SUBMITTED, "ab\n        c[31md")
    assert editor.echo == "$ ab\n        c[31md"
    press(editor, "ctrl+_")
    assert state(editor) == "a|d"
    editor.begin("$ ", text="x\x00y")
    assert state(editor) == "xy|"


def test_keys_are_told_with_a_sentence_each() -> None:
    told = dict(KEYS)
    assert told["Left, ^B"] == "One character to the left."
    assert "^_, ^X ^U" in told
    assert all(sentence.endswith(".") and len(sentence) < 80 for sentence in told.values())
    assert len(told) == len(KEYS)


@pytest.mark.parametrize(
    "editor",
    [
        editor_with("one| two"),
        editor_with("one\ntwo|"),
        editor_with("", "ctrl+r", "s", "s"),
        editor_with("pw", hidden=True),
    ],
)
def test_clearing_takes_the_whole_text_and_undo_brings_it_back(editor: LineEditor) -> None:
    text = editor.text
    editor.clear()
    assert state(editor) == "|" and text
    press(editor, "ctrl+underscore")
    assert editor.text == text

"""Tab: what is completed, and the menu of candidates below the line."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from rich.cells import cell_len

from engine.shell.completion import Completion
from tui.terminal.line_editor import LineEditor, Outcome, OutcomeKind

NAMES = ("alpha ", "alpine ", "beta ", "gamma/")
CHANGED, BELL = Outcome(OutcomeKind.CHANGED), Outcome(OutcomeKind.BELL)


def editor_with(*keys: str, names: Sequence[str] = NAMES, text: str = "cat ") -> LineEditor:
    def complete(line: str, cursor: int) -> Completion:
        word = line[:cursor].rpartition(" ")[2]
        return Completion(len(word), tuple(name for name in names if name.startswith(word)))

    editor = LineEditor(complete, lambda: ["of the past"])
    editor.begin("$ ", text=text)
    press(editor, *keys)
    return editor


def press(editor: LineEditor, *keys: str) -> Outcome | None:
    outcome = None
    for key in keys:
        outcome = editor.press(key, key if len(key) == 1 else None)
    return outcome


def plain(editor: LineEditor, columns: int = 80) -> list[str]:
    return [re.sub(r"\x1b\[[0-9;]*m", "", row) for row in editor.picture(columns).rows]


def is_open(editor: LineEditor) -> bool:
    return bool(editor.picture(80).menu_cells)


def test_the_only_candidate_is_put() -> None:
    editor = editor_with("b")
    assert press(editor, "tab") == CHANGED
    assert (editor.text, editor.cursor) == ("cat beta ", 9)
    press(editor, "ctrl+_")
    assert editor.text == "cat b"


def test_a_blank_or_slash_that_follows_is_not_doubled() -> None:
    editor = editor_with(text="cat b -n")
    press(editor, *["left"] * 3, "tab")
    assert (editor.text, editor.cursor) == ("cat beta -n", 9)
    editor = editor_with(text="cat ga/x")
    press(editor, *["left"] * 2, "tab")
    assert (editor.text, editor.cursor) == ("cat gamma/x", 10)


def test_no_candidate_rings() -> None:
    assert press(editor_with("z"), "tab") == BELL


def test_first_what_is_common_then_the_menu() -> None:
    editor = editor_with("a")
    assert press(editor, "tab") == CHANGED
    assert editor.text == "cat alp"
    assert not is_open(editor)
    assert press(editor, "tab") == CHANGED
    assert editor.text == "cat alp"
    assert plain(editor)[1:] == [
        "alpha   alpine",
        "1-2 of 2   Tab, arrows: choose   Enter: take   Esc: leave",
    ]


def test_without_anything_in_common_the_second_tab_opens_the_menu() -> None:
    editor = editor_with()
    assert press(editor, "tab") == BELL
    assert not is_open(editor)
    assert press(editor, "tab") == CHANGED
    assert is_open(editor)
    assert not is_open(editor_with("tab", "left", "right", "tab"))


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["tab"], "cat alpha "),
        (["tab", "tab"], "cat alpine "),
        (["down", "down", "up"], "cat alpha "),
        (["shift+tab"], "cat gamma/"),
        (["up", "down"], "cat alpha "),
        (["right", "right"], "cat alpine "),
        (["right", "right", "left"], "cat alpha "),
        (["ctrl+n", "ctrl+n", "ctrl+p"], "cat alpha "),
        (["tab", "escape"], "cat "),
        (["tab", "tab", "ctrl+g"], "cat "),
    ],
)
def test_moving_in_the_menu(keys: list[str], text: str) -> None:
    editor = editor_with("tab", "tab")
    assert press(editor, *keys) == CHANGED
    assert editor.text == text


def test_the_chosen_one_is_shown_reversed() -> None:
    assert "\x1b[7malpine\x1b[0m" in editor_with("tab", "tab", "tab", "tab").picture(80).rows[1]


def test_enter_and_the_last_column_take_without_entering() -> None:
    for keys in (["tab", "enter"], ["up", "right"]):
        editor = editor_with("tab", "tab", *keys[:-1])
        chosen = editor.text
        assert press(editor, keys[-1]) == CHANGED
        assert not is_open(editor)
        assert editor.text == chosen


def test_enter_with_nothing_chosen_enters_the_line() -> None:
    assert press(editor_with("tab", "tab"), "enter") == Outcome(OutcomeKind.SUBMITTED, "cat ")


def test_typing_narrows_and_closes() -> None:
    editor = editor_with("tab", "tab", "a")
    assert plain(editor)[1].split() == ["alpha", "alpine"]
    press(editor, "backspace")
    assert plain(editor)[1].split() == ["alpha", "alpine", "beta", "gamma/"]
    press(editor, "b")
    assert not is_open(editor)
    assert editor.text == "cat b"


def test_typing_after_a_choice_keeps_it() -> None:
    editor = editor_with("tab", "tab", "tab", "x")
    assert editor.text == "cat alpha x"
    assert not is_open(editor)


def test_other_keys_close_the_menu_and_do_what_they_do() -> None:
    editor = editor_with("tab", "tab", "tab", "ctrl+a")
    assert (editor.text, editor.cursor, is_open(editor)) == ("cat alpha ", 0, False)
    assert press(editor_with("tab", "tab"), "ctrl+c") == Outcome(OutcomeKind.ABORTED, "cat ")
    editor = editor_with("tab", "tab")
    assert press(editor, "pageup") is None
    assert is_open(editor)


def test_a_click_takes_a_candidate() -> None:
    editor = editor_with("tab", "tab")
    picture = editor.picture(80)
    column = plain(editor)[1].index("beta")
    assert picture.candidate_at(1, column - 1) is None
    assert picture.candidate_at(0, column) is None
    index = picture.candidate_at(1, column)
    assert index == NAMES.index("beta ")
    editor.pick(index)
    assert editor.text == "cat beta "
    assert not is_open(editor)


def test_paths_are_listed_without_their_folder() -> None:
    editor = editor_with("tab", "tab", names=("/var/log/a ", "/var/log/b/"))
    assert editor.text == "cat /var/log/"
    assert plain(editor)[1] == "a   b/"


def test_many_candidates_come_in_pages() -> None:
    names = [f"node{number:03} " for number in range(100)]
    editor = editor_with("tab", "tab", names=names)
    assert editor.text == "cat node0"
    rows = plain(editor, 40)
    assert len(rows) == 1 + 8 + 1
    assert rows[1].split() == ["node000", "node008", "node016", "node024"]
    assert rows[-1].startswith("1-32 of 100")
    press(editor, "up")
    assert editor.text == "cat node099 "
    assert plain(editor, 40)[1].split() == ["node096", "node097", "node098", "node099"]
    assert plain(editor, 40)[-1].startswith("97-100 of 100")


@pytest.mark.parametrize("columns", [2, 3, 10, 33])
def test_the_menu_is_never_wider_than_the_pane(columns: int) -> None:
    editor = editor_with("tab", "tab", names=("世界世界.txt ", "a[b] ", "long" * 20))
    for _ in range(4):
        picture = editor.picture(columns)
        assert all(cell_len(row) <= columns for row in plain(editor, columns))
        assert all(cell.end <= columns for cell in picture.menu_cells)
        press(editor, "tab")

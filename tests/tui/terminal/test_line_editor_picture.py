"""The picture of a line: how prompt and text are wrapped, and where the cursor is."""

from __future__ import annotations

import pytest

from engine.shell.completion import Completion
from tui.terminal.line_editor import LineEditor, Picture


def editor_with(prompt: str, text: str) -> LineEditor:
    editor = LineEditor(lambda _line, _cursor: Completion(0, ()), list)
    editor.begin(prompt, text=text)
    return editor


def picture(prompt: str, text: str, columns: int) -> Picture:
    return editor_with(prompt, text).picture(columns)


@pytest.mark.parametrize(
    ("prompt", "text", "columns", "rows", "cursor"),
    [
        ("$ ", "", 10, ["$ "], (0, 2)),
        ("$ ", "abc", 10, ["$ abc"], (0, 5)),
        ("$ ", "abcd", 6, ["$ abcd", ""], (1, 0)),
        ("$ ", "abcdefghijkl", 6, ["$ abcd", "efghij", "kl"], (2, 2)),
        ("$ ", "世界", 5, ["$ 世", "界"], (1, 2)),
        ("$ ", "ab世", 5, ["$ ab", "世"], (1, 2)),
        ("$ ", "ae\u0301b", 4, ["$ ae\u0301", "b"], (1, 1)),
        ("$ ", "ab\ncd", 10, ["$ ab", "cd"], (1, 2)),
        ("$ ", "ab\n", 10, ["$ ab", ""], (1, 0)),
        ("top\n$ ", "ab", 10, ["top", "$ ab"], (1, 4)),
        ("abcdef", "gh", 4, ["abcd", "efgh", ""], (2, 0)),
        ("abcd", "e", 4, ["abcd", "e"], (1, 1)),
        ("abcd\n$ ", "e", 4, ["abcd", "$ e"], (1, 3)),
        ("", "", 2, [""], (0, 0)),
        ("\n$ ", "", 9, ["", "$ "], (1, 2)),
        ("x\n\n$ ", "", 9, ["x", "", "$ "], (2, 2)),
    ],
)
def test_wrapping(prompt: str, text: str, columns: int, rows: list[str], cursor: tuple[int, int]) -> None:
    shown = picture(prompt, text, columns)
    assert list(shown.rows) == rows
    assert shown.cursor == cursor


def test_colours_of_the_prompt_take_no_room() -> None:
    shown = picture("\x1b[1;32mme\x1b[0m$ ", "abc", 6)
    assert shown.rows == ("\x1b[1;32mme\x1b[0m$ ab", "c")


def test_colours_left_on_go_on_in_the_next_row() -> None:
    assert picture("\x1b[1m\x1b[31m$ ", "abcd", 4).rows == (
        "\x1b[1m\x1b[31m$ ab\x1b[0m",
        "\x1b[1m\x1b[31mcd\x1b[0m",
    )
    assert picture("\x1b[1mabc\x1b[0;31md$ ", "e", 3).rows == (
        "\x1b[1mabc\x1b[0m",
        "\x1b[1m\x1b[0;31md$ \x1b[0m",
        "\x1b[0;31me\x1b[0m",
    )


def test_other_sequences_in_the_prompt_are_left_out() -> None:
    assert picture("\x1b]0;title\x07\x01\x1b[32m\x02a\x1b[0m\x1b[2J\x1b(\x9b$ ", "b", 20).rows == (
        "\x1b[32ma\x1b[0m$ b",
    )


@pytest.mark.parametrize(
    ("row", "column", "cursor"),
    [(0, 0, 0), (1, 0, 0), (1, 2, 0), (1, 3, 1), (1, 4, 2), (1, 5, 2), (2, 0, 3), (2, 1, 4), (2, 7, 5), (9, 0, 3)],
)
def test_a_click_puts_the_cursor(row: int, column: int, cursor: int) -> None:
    editor = editor_with("above\n$ ", "ab世cd")
    assert editor.picture(6).rows == ("above", "$ ab世", "cd")
    editor.put_cursor(6, row, column)
    assert editor.cursor == cursor


def test_a_click_ends_a_search() -> None:
    editor = LineEditor(lambda _line, _cursor: Completion(0, ()), lambda: ["ls -l"])
    editor.begin("$ ")
    editor.press("ctrl+r", None)
    editor.press("l", "l")
    editor.put_cursor(80, 0, len("(reverse-i-search)`l': ls"))
    assert (editor.text, editor.cursor) == ("ls -l", 2)
    assert editor.picture(80).rows == ("$ ls -l",)


def test_a_hidden_line_is_not_clicked_into() -> None:
    editor = LineEditor(lambda _line, _cursor: Completion(0, ()), list)
    editor.begin("? ", hidden=True, text="secret")
    editor.put_cursor(80, 0, 0)
    assert editor.cursor == len("secret")

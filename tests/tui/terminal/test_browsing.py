"""Scroll mode."""

import pytest

from tui.terminal.browsing import Browsing, Wish
from tui.terminal.page import Page, Spot
from tui.terminal.selection import selected_text


def page_of(count: int, height: int = 10) -> Page:
    page = Page(100_000, 40, height)
    page.append([f"line {number}" for number in range(count)])
    return page


def press(browsing: Browsing, *keys: str) -> Wish | None:
    wish = None
    for key in keys:
        wish = browsing.press(key)
    return wish


def test_the_cursor_moves_and_what_is_in_view_with_it() -> None:
    page = page_of(100)
    browsing = Browsing(page)
    assert browsing.cursor == 99
    press(browsing, "up", "k", "pageup")
    assert browsing.cursor == 88 and page.top == 88
    press(browsing, "g")
    assert browsing.cursor == page.top == 0
    press(browsing, "up", "down", "pagedown")
    assert browsing.cursor == 10 and page.top == 1
    press(browsing, "G", "down")
    assert browsing.cursor == 99 and page.following


def test_pages_of_long_lines_are_as_long_as_others() -> None:
    page = Page(100, 10, 10)
    page.append(["x" * 50] * 20)
    browsing = Browsing(page)
    press(browsing, "pageup")
    assert browsing.cursor == 17


def test_marked_lines_are_copied() -> None:
    browsing = Browsing(page_of(5))
    assert press(browsing, "up", "v", "up", "up", "y") is Wish.COPY
    assert (
        browsing.selection is not None and selected_text(browsing.page, browsing.selection) == "line 1\nline 2\nline 3"
    )
    press(browsing, "space")
    assert browsing.selection is not None and selected_text(browsing.page, browsing.selection) == "line 1"


def test_enter_copies_or_pins_and_escape_leaves() -> None:
    assert press(Browsing(page_of(5)), "enter") is Wish.COPY
    assert press(Browsing(page_of(5)), "p") is Wish.PIN
    assert press(Browsing(page_of(5), choosing=True), "up", "enter") is Wish.PIN
    for key in ("escape", "q", "ctrl+c"):
        assert press(Browsing(page_of(5)), key) is Wish.LEAVE


def test_a_search_from_the_end_finds_the_newest_first() -> None:
    browsing = Browsing(page_of(50), finding=True)
    press(browsing, *"line 4")
    assert browsing.cursor == 49 and browsing.search is not None and browsing.search.count == "11 of 11"
    press(browsing, "backspace", "3", "enter", "n")
    assert browsing.cursor == 38 and "10 of 11" in browsing.hint(True, 80).text
    press(browsing, "N")
    assert browsing.cursor == 39
    assert press(browsing, "escape") is Wish.LEAVE


def test_a_search_finds_the_nearest_place_upwards() -> None:
    page = Page(1000, 40, 10)
    page.append(["Xid 79", *["-"] * 50, "Xid 48", *["-"] * 50, "Xid 31", *["-"] * 50])
    for browsing in (Browsing(page), Browsing(page, choosing=True), Browsing(page, finding=True)):
        press(browsing, *(() if browsing.finding else "/"), *"xid", "enter")
        assert browsing.cursor == 102
        press(browsing, "n")
        assert browsing.cursor == 51
        press(browsing, "n", "N")
        assert browsing.cursor == 51
        press(browsing, "escape")
        page.scroll_to_end()


def test_a_search_begins_at_the_chosen_line() -> None:
    browsing = Browsing(page_of(50))
    press(browsing, *["up"] * 20, "/", *"ine 2", "enter")
    assert browsing.cursor == 29
    press(browsing, *["up"] * 5, "n")
    assert browsing.cursor == 23
    press(browsing, *["up"] * 2, "N")
    assert browsing.cursor == 22
    press(browsing, "?", "9", "up")
    assert browsing.search is not None and browsing.search.current == Spot(9, 5)


def test_while_a_search_is_typed_it_starts_from_the_same_place() -> None:
    page = Page(1000, 40, 10)
    page.append(["abc", *["-"] * 50, "ab", *["-"] * 50, "a", *["-"] * 50])
    browsing = Browsing(page)
    press(browsing, *["up"] * 20)
    place = (browsing.cursor, page.top)
    press(browsing, "/", "a")
    nearest = (browsing.cursor, page.top)
    press(browsing, "b", "c")
    assert browsing.cursor == 0
    press(browsing, "backspace", "backspace")
    assert (browsing.cursor, page.top) == nearest and browsing.cursor == 102
    press(browsing, "x")
    assert (browsing.cursor, page.top) == place and "not found" in browsing.hint(True, 80).text
    press(browsing, "backspace")
    assert press(browsing, "escape") is None and browsing.typed is None
    assert (browsing.cursor, page.top) == place and browsing.search is None


def test_the_cursor_stays_on_kept_lines() -> None:
    page = Page(10, 40, 5)
    page.append([f"{number}" for number in range(10)])
    browsing = Browsing(page)
    press(browsing, "g")
    page.append(["x"] * 5)
    browsing.hold()
    assert browsing.cursor == page.kept.first == 5


def test_a_hint_fits_and_always_names_the_way_out() -> None:
    browsing = Browsing(page_of(5000))
    choosing = Browsing(browsing.page, choosing=True)
    hints = [browsing.hint(True, 40).text, browsing.hint(True, 78).text, choosing.hint(True, 40).text]
    press(browsing, "g", "v")
    hints.append(browsing.hint(True, 40).text)
    press(browsing, "/", *"line")
    hints.append(browsing.hint(True, 40).text)
    press(browsing, "enter")
    hints.append(browsing.hint(True, 40).text)
    assert all(hint.endswith("Esc leave ") for hint in hints)
    assert [len(hint) for hint in hints if len(hint) > 40] == [len(hints[1])] and len(hints[1]) <= 78
    assert "y copy" in hints[3] and "p pin" not in browsing.hint(False, 200).text


@pytest.mark.parametrize(
    ("keys", "choosing", "keys_of_words"),
    [
        ("", False, {"Up": "up", "PgDn": "pagedown", "/ find": "/", "v mark": "v", "y copy": "y", "p pin": "p",
                     "g top": "g", "G end": "G"}),
        ("gv", False, {"Down": "down", "v none": "v", "49 below": "end"}),
        ("/line", False, {"Enter done": "enter", "Up older": "up", "Down newer": "down"}),
        ("", True, {"Down": "down", "Enter pins": "enter", "v several": "v", "/ find": "/"}),
        ("v", True, {"v one": "v"}),
    ],
)  # fmt: skip
def test_the_words_of_a_hint_stand_for_their_keys(keys: str, choosing: bool, keys_of_words: dict[str, str]) -> None:
    page = page_of(59)
    browsing = Browsing(page, choosing=choosing)
    press(browsing, *keys)
    hint = browsing.hint(True, 200)
    for word, key in {**keys_of_words, "Esc leave": "escape"}.items():
        start = hint.text.index(word)
        assert {hint.key_at(column) for column in range(start, start + len(word))} == {key}
        assert hint.key_at(start - 1) != key and hint.key_at(start + len(word)) != key
    assert hint.key_at(0) is None

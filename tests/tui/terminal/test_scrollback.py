"""Kept lines and their rows, and the page that shows them."""

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.terminal.page import Page, Spot
from tui.terminal.rows import index_at, row_starts
from tui.terminal.scrollback import Place, Scrollback
from tui.terminal.sgr import text_of


def rows_of(page: Page) -> list[str]:
    found = []
    for row in range(page.rows):
        place = page.place(row)
        begin, end = page.bounds(place)
        found.append(page.text(place.number)[begin:end])
    return found


def view_of(page: Page) -> list[str]:
    return rows_of(page)[page.top : page.top + page.height]


_TEXTS = st.text(st.sampled_from("abc \u00e9\u2500\u65e5\u672c\u0301\U0001f600"), max_size=60)
_LINES = st.lists(_TEXTS, max_size=30)


@settings(max_examples=200, deadline=None)
@given(_LINES, st.integers(2, 40))
def test_rows_fit_and_joined_are_the_lines(lines: list[str], columns: int) -> None:
    page = Page(1000, columns)
    page.append(lines)
    rows = rows_of(page)
    assert all(cell_len(row) <= columns for row in rows)
    joined = ["".join(rows[page.row_of(number) : page.row_of(number + 1)]) for number in range(page.end)]
    assert joined == lines


@settings(max_examples=100, deadline=None)
@given(_LINES, st.integers(2, 40), st.integers(2, 40))
def test_another_width_and_back_changes_nothing(lines: list[str], columns: int, other: int) -> None:
    kept = Scrollback(1000, columns)
    kept.append(lines)
    before = [kept.place(row) for row in range(kept.rows)]
    kept.rewrap(other)
    fresh = Scrollback(1000, other)
    fresh.append(lines)
    assert [kept.place(row) for row in range(kept.rows)] == [fresh.place(row) for row in range(fresh.rows)]
    kept.rewrap(columns)
    assert [kept.place(row) for row in range(kept.rows)] == before


@settings(max_examples=100, deadline=None)
@given(_LINES, st.integers(2, 40), st.integers(1, 12), st.integers(0, 60), st.integers(2, 40))
def test_the_readers_place_stays_at_another_width(
    lines: list[str], columns: int, height: int, row: int, other: int
) -> None:
    page = Page(1000, columns, height)
    page.append(lines)
    page.scroll_to(row)
    place, following = (page.place(page.top), page.following)
    at = Spot(place.number, page.bounds(place)[0])
    page.resize(other, height)
    if following:
        assert page.top == max(page.rows - height, 0)
    elif page.top < page.rows - height:
        shown = page.place(page.top)
        begin, end = page.bounds(shown)
        assert shown.number == at.number and (begin <= at.at < end or begin == end == at.at)
    page.resize(columns, height)
    assert page.place(page.top) == place or following or page.following


def test_the_oldest_lines_go_in_batches_and_numbers_stay() -> None:
    kept = Scrollback(100, 10)
    kept.append(f"line {number}" for number in range(110))
    assert kept.first == 0
    kept.append(["long enough for rows", "last"])
    assert (kept.first, kept.end) == (12, 112)
    assert kept.raw(12) == "line 12" and kept.raw(111) == "last"
    assert kept.place(0) == Place(12, 0) and kept.row_of(111) == kept.rows - 1
    assert kept.row_of(3) == 0
    kept.rewrap(5)
    assert kept.place(kept.rows - 1) == Place(111, 0)


def test_a_page_follows_its_end_until_the_reader_goes_up() -> None:
    page = Page(1000, 20, 3)
    page.append([f"{number}" for number in range(10)])
    assert view_of(page) == ["7", "8", "9"]
    page.scroll_by(-2)
    page.append(["10", "11"])
    assert view_of(page) == ["5", "6", "7"] and page.lines_below == 4
    page.scroll_by(3)
    assert not page.following
    page.scroll_by(1)
    page.append(["12"])
    assert view_of(page) == ["10", "11", "12"] and page.following


def test_a_reader_of_lines_that_go_sees_the_oldest_that_are_left() -> None:
    page = Page(10, 20, 3)
    page.append([f"{number}" for number in range(11)])
    page.scroll_to(0)
    page.append(["11", "12"])
    assert view_of(page) == ["3", "4", "5"]


def test_a_cleared_page_begins_empty_and_can_be_scrolled_back() -> None:
    page = Page(1000, 20, 3)
    page.append(["a", "b", "c", "d"])
    page.clear()
    page.set_tail(["$ "])
    assert view_of(page) == ["$ "]
    page.append(["e"])
    assert view_of(page) == ["e", "$ "]
    page.append(["f", "g"])
    assert view_of(page) == ["f", "g", "$ "]
    page.scroll_to(0)
    assert view_of(page) == ["a", "b", "c"]
    page.scroll_by(100)
    assert view_of(page) == ["f", "g", "$ "]


def test_the_tail_stands_below_the_kept_lines() -> None:
    page = Page(1000, 10, 5)
    page.append(["\x1b[31mkept\x1b[0m"])
    page.set_tail(["0123456789ab", "$ "])
    assert rows_of(page) == ["kept", "0123456789", "ab", "$ "]
    assert page.spot(2, 1) == Spot(1, 11) and page.row_of_spot(Spot(1, 11)) == 2
    assert page.spot(99, 0) == Spot(3, 0) and page.spot(-1, 0) == Spot(0, 0)
    assert text_of(page.raw(7)) == ""


def test_a_megabyte_in_one_line_is_wrapped() -> None:
    page = Page(1000, 80, 24)
    page.append(["x" * 200_000])
    assert page.rows == 2500 and page.bounds(page.place(2499)) == (199_920, 200_000)


def test_columns_and_indexes_of_wide_characters() -> None:
    assert [index_at("a\u65e5b", column) for column in range(6)] == [0, 1, 1, 2, 3, 3]
    assert list(row_starts("\u65e5\u672c\u8a9e", 5)) == [0, 2]

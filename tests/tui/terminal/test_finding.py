"""Finding text in what was printed."""

from tui.terminal.finding import MOST, Search
from tui.terminal.page import Page, Spot


def page_of(*lines: str, limit: int = 1000) -> Page:
    page = Page(limit, 80)
    page.append(list(lines))
    return page


def test_places_in_order_and_around_the_end() -> None:
    search = Search(page_of("Xid 79", "\x1b[31mxid\x1b[0m 48, XID 13", "none"), "xid")
    assert search.go(Spot(0, 0), backward=False) == Spot(1, 0)
    assert search.count == "2 of 3"
    assert search.go(Spot(1, 0), backward=False) == Spot(1, 8)
    assert search.go(Spot(1, 8), backward=False) == Spot(0, 0)
    assert search.go(Spot(0, 0), backward=True) == Spot(1, 8)


def test_capitals_count_when_there_are_some() -> None:
    search = Search(page_of("Xid xid XID"), "XID")
    assert search.go(Spot(0, 0), backward=False) == Spot(0, 8) and search.count == "1 of 1"


def test_signs_are_only_themselves() -> None:
    search = Search(page_of("a.c [x] abc"), "a.c")
    assert [*search.spans("a.c [x] abc")] == [(0, 3)]
    assert Search(page_of("a[0]"), "[0]").go(Spot(0, 0), backward=False) == Spot(0, 1)


def test_what_is_not_there() -> None:
    search = Search(page_of("text"), "nothing")
    assert search.go(Spot(0, 0), backward=False) is None and search.count == "not found"
    assert [*Search(page_of("text"), "").spans("text")] == []


def test_lines_that_come_and_go_while_it_is_open() -> None:
    page = page_of(*(f"hit {number}" for number in range(10)), limit=10)
    search = Search(page, "hit")
    page.append(["hit new", "miss"])
    search.catch_up()
    assert search.go(Spot(page.kept.end, 0), backward=True) == Spot(10, 0)
    assert search.count == "9 of 9"


def test_too_many_places_are_counted_no_further() -> None:
    search = Search(page_of(*["eeee"] * (MOST // 2), limit=100_000), "e")
    assert search.more and search.count == f"{MOST:,}+"
    assert search.go(Spot(MOST, 0), backward=True) == Spot(MOST // 2 - 1, 3)

"""Selected text."""

import pytest

from tui.terminal.page import Page, Spot
from tui.terminal.selection import Selection, between, line_at, lines_between, selected_text, word_at


def page_of(*lines: str, columns: int = 80) -> Page:
    page = Page(1000, columns)
    page.append(list(lines))
    return page


@pytest.mark.parametrize(
    ("line", "under", "word"),
    [
        ("ssh dgx-02.aurora.lan uptime", "02", "dgx-02.aurora.lan"),
        ("cat /etc/slurm/slurm.conf: ok", "conf", "/etc/slurm/slurm.conf"),
        ("GPU 0000:1B:00.0 fell off", "1B", "0000:1B:00.0"),
        ("Port GUID: 0x98039b0300a1b2c3.", "a1b2", "0x98039b0300a1b2c3"),
        ("| 88C | P0 |", "88C", "88C"),
        ("xid=79,pid=4711", "79", "xid=79"),
        ("(UUID: GPU-6ab1ca45-5ea6-2039)", "5ea6", "GPU-6ab1ca45-5ea6-2039"),
        ("--format=csv,noheader", "csv", "--format=csv"),
        ("10.1.2.3/24 up", "2.3", "10.1.2.3/24"),
    ],
)
def test_a_word(line: str, under: str, word: str) -> None:
    page = page_of(line)
    found = word_at(page, Spot(0, line.index(under)))
    assert found is not None and selected_text(page, found) == word


def test_there_is_no_word_on_a_blank_or_behind_the_text() -> None:
    page = page_of("a | b")
    assert word_at(page, Spot(0, 1)) is None
    assert word_at(page, Spot(0, 5)) is None


def test_a_selection_is_the_same_in_both_directions() -> None:
    assert between(Spot(3, 4), Spot(1, 2)) == Selection(Spot(1, 2), Spot(3, 4))
    assert between(Spot(1, 2), Spot(1, 2)) is None


def test_several_lines_without_their_colours_and_blank_ends() -> None:
    page = page_of("\x1b[31mfirst   \x1b[0m", "", "third line")
    assert selected_text(page, Selection(Spot(0, 2), Spot(2, 5))) == "rst\n\nthird"
    line = line_at(page, Spot(2, 3))
    assert line is not None and selected_text(page, line) == "third line"
    lines = lines_between(page, 2, 0)
    assert lines is not None and selected_text(page, lines) == "first\n\nthird line"


def test_the_last_line_has_no_blank_end_either_unless_it_was_selected_by_itself() -> None:
    page = page_of("one  ", "two  ")
    lines = lines_between(page, 0, 1)
    assert lines is not None and selected_text(page, lines) == "one\ntwo"
    assert selected_text(page, Selection(Spot(0, 1), Spot(1, 4))) == "one\ntwo "[1:]


def test_a_wrapped_line_is_copied_as_one() -> None:
    page = page_of("0123456789abcdef", columns=5)
    assert selected_text(page, Selection(page.spot(0, 3), page.spot(2, 2))) == "3456789ab"


def test_it_stays_with_its_text_while_lines_come_and_the_width_changes() -> None:
    page = page_of("one", "two words", "three")
    selection = Selection(Spot(1, 4), Spot(1, 9))
    page.append(["more"] * 500)
    page.resize(3, 10)
    assert selected_text(page, selection) == "words"


def test_what_has_gone_is_not_in_it() -> None:
    page = Page(10, 80)
    selection = Selection(Spot(0, 0), Spot(3, 3))
    page.append([f"line {number}" for number in range(13)])
    assert page.kept.first == 3
    assert selected_text(page, selection) == "lin"


def test_a_prompt_in_rows_is_copied_as_one_line() -> None:
    page = page_of("out", columns=5)
    page.set_tail(["$ ech", "o hel", "lo", "$ "])
    assert selected_text(page, Selection(Spot(0, 0), Spot(4, 1))) == "out\n$ echo hello\n$"

"""Rows: wrapping, cutting, and what stands before them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.widgets.rows import Row, fitted, laid_out, shortened, wrapped


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 80, ["one two three"]),
        ("", 10, [""]),
        ("a\nb", 10, ["a", "b"]),
        ("abcdefgh ij", 4, ["abcd", "efgh", "ij"]),
        ("  set in", 20, ["  set in"]),
        ("漢字 漢", 4, ["漢字", "漢"]),
    ],
)
def test_wrapped(text: str, width: int, lines: list[str]) -> None:
    assert wrapped(text, width) == lines


@given(st.text("abc 漢\n", max_size=60), st.integers(2, 20))
def test_nothing_is_wider_than_the_width_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_a_cut_text_says_so() -> None:
    assert shortened("Xid (PCI:0000:9d:00): 79", 10, "~") == "Xid (PCI:~"
    assert shortened("short", 10, "~") == "short"


XID = "[Mon Nov 30 09:21:33 2026] NVRM: Xid (PCI:0000:9d:00): 79, GPU has fallen off the bus."


@pytest.mark.parametrize(
    ("width", "most", "lines"),
    [
        (90, 1, [XID]),
        (62, 1, ["NVRM: Xid (PCI:0000:9d:00): 79, GPU has fallen off the bus."]),
        (30, 1, ["NVRM: Xid (PCI:~n off the bus."]),
        (40, 3, ["[Mon Nov 30 09:21:33 2026] NVRM: Xid", "(PCI:0000:9d:00): 79, GPU has fallen off", "the bus."]),
        (24, 2, ["NVRM: Xid", "(PCI:0000:9d~ff the bus."]),
    ],
)
def test_a_text_in_few_lines_loses_its_time_and_then_its_middle(width: int, most: int, lines: list[str]) -> None:
    assert fitted(XID, width, most, "~") == lines


@given(st.text("abc 漢[1]", max_size=80), st.integers(8, 30), st.integers(1, 3))
def test_a_text_in_few_lines_fits(text: str, width: int, most: int) -> None:
    lines = fitted(text, width, most, "~")
    assert len(lines) <= most
    assert all(cell_len(line) <= width for line in lines)


def test_continued_lines_stand_under_the_text() -> None:
    lines = laid_out([Row("one two", lead=(("* ", "x"),))], 6, "~")
    assert [[text for text, _ in line] for line in lines] == [["* ", "one"], ["  ", "two"]]


def test_brackets_are_no_markup() -> None:
    assert laid_out([Row("[red]x[/red]")], 20, "~") == [[("[red]x[/red]", "")]]

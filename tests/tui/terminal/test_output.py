"""Printed bytes as lines."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.terminal.output import CUT, LINE_LIMIT, Output, stored
from tui.terminal.sgr import PLAIN, Line, changed, read, text_of


class Sheet:
    def __init__(self) -> None:
        self.lines: list[str | None] = []

    def append(self, lines: list[str]) -> None:
        self.lines += lines

    def clear(self) -> None:
        self.lines.append(None)


def lines(*pieces: bytes) -> list[Line | None]:
    """What the pieces print; the open line comes last, None is a cleared screen."""
    sheet = Sheet()
    output = Output(sheet)
    for piece in pieces:
        output.feed(piece)
    return [None if raw is None else read(raw) for raw in [*sheet.lines, output.open]]


def texts(*pieces: bytes) -> list[str | None]:
    return [None if line is None else line.text for line in lines(*pieces)]


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        (b"one\ntwo\n", ["one", "two", ""]),
        (b"no end", ["no end"]),
        (b"dos\r\nlines\r\n", ["dos", "lines", ""]),
        (b" 10%\r 20%\r100%\n", ["100%", ""]),
        (b"longer\rab\n", ["abnger", ""]),
        (b"longer\r\x1b[Kab\n", ["ab", ""]),
        (b"abc\x1b[1Kd\n", ["   d", ""]),
        (b"abc\x1b[2K\n", ["", ""]),
        (b"abc\x1b[2Kd\n", ["   d", ""]),
        (b"abd\bc\n", ["abc", ""]),
        (b"\b\b\bx", ["x"]),
        (b"a\tb\n", ["a       b", ""]),
        (b"12345678\tb\n", ["12345678        b", ""]),
        (b"abcdefghij\r\tX\n", ["abcdefghXj", ""]),
        (b"bell\x07 and \x0e\x0fshift\x00\n", ["bell and shift", ""]),
        (b"\x1b]0;title\x07text\n", ["text", ""]),
        (b"\x1b]52;c;cm0=\x1b\\text\n", ["text", ""]),
        (b"\x1b]never ended\nnext\n", ["", "next", ""]),
        (b"\x1bPq#0;2;0\x1b\\text\n", ["text", ""]),
        (b"\x1b[?1049h\x1b[?25l\x1b[6n\x1b[>4;2mtext\n", ["text", ""]),
        (b"\x1b(B\x1b=\x1b7text\x1b8\n", ["text", ""]),
        (b"\xc2\x9b31mtext\n", ["31mtext", ""]),
        (b"\xff\xc3(\n", ["\ufffd\ufffd(", ""]),
        ("\u202egpj.exe\u200b\n".encode(), ["gpj.exe", ""]),
        (b"above\n\x1b[H\x1b[2Jbelow", ["above", None, "below"]),
        (b"\x1b[H\x1b[J$", [None, "$"]),
        (b"a\x1b[J$", ["a$"]),
        (b"open\x1b[2J", ["open", None, ""]),
        (b"a\x1bc", ["a", None, ""]),
        ("\u65e5\rx".encode(), ["x "]),
        ("a\u65e5\b\bx".encode(), ["ax "]),
        ("e\u0301\re".encode(), ["e"]),
    ],
)
def test_what_is_understood(printed: bytes, shown: list[str | None]) -> None:
    assert texts(printed) == shown


def test_a_colour_goes_on_in_the_next_line_until_it_is_taken_back() -> None:
    red = changed(PLAIN, "31")
    found = lines(b"\x1b[31mred\nstill\x1b[0m not\nplain\n")
    assert [line.runs for line in found if line] == [
        (("red", red),),
        (("still", red), (" not", PLAIN)),
        (("plain", PLAIN),),
        (),
    ]


def test_characters_that_are_cut_anywhere() -> None:
    text = "Temperature 41 \u00b0C \u65e5\u672c \U0001f600\n".encode()
    assert (
        texts(*(bytes([byte]) for byte in text))
        == texts(text)
        == ["Temperature 41 \u00b0C \u65e5\u672c \U0001f600", ""]
    )


@pytest.mark.parametrize("odd", [b"", b"\x1b[1m", b"\t"])
def test_an_endless_line_is_cut_with_a_mark(odd: bytes) -> None:
    for pieces in ([odd + b"x" * 1_000_000 + b"\nnext"], [odd, *[b"x" * 10_000] * 100, b"\nnext"]):
        found = texts(*pieces)
        assert found[1] == "next"
        assert found[0] is not None and found[0].endswith(text_of(CUT))
        assert len(found[0]) == LINE_LIMIT + len(text_of(CUT))


def test_the_open_line_can_be_taken_over_by_a_prompt() -> None:
    output = Output(Sheet())
    output.feed(b"no newline \xe2\x82")
    assert output.take_open() == "no newline "
    output.feed(b"next")
    assert output.open == "next"


def test_a_program_goes_on_behind_a_prompt() -> None:
    sheet = Sheet()
    output = Output(sheet)
    output.put_open("ops@dgx-01:~$ ")
    output.feed(b"logout\n")
    assert sheet.lines == ["ops@dgx-01:~$ logout"]


def test_a_prompt_with_a_title_and_colours_can_be_stored() -> None:
    found = stored("\x1b]0;ops@dgx-01\x07\x1b[01;32mops@dgx-01\x1b[00m:~\n$ ")
    assert [text_of(raw) for raw in found] == ["ops@dgx-01:~", "$ "]
    assert "\x1b]" not in "".join(found)


_PIECES = st.one_of(
    st.binary(max_size=8),
    st.sampled_from(
        [b"\x1b[31m", b"\x1b[1;48;5;9m", b"\x1b[", b"\x1b", b"\x1b]0;", b"\x1b\\", b"\x07", b"\x1b[2J", b"\x1b[H",
         b"\x1b[K", b"\r", b"\n", b"\r\n", b"\t", b"\b", b"text", "\u65e5\u672c".encode(), "e\u0301".encode(),
         "\U0001f600".encode(), b"\x9b", b"\xc2\x9d", b"9" * 70, b";", b"m", b"\x18", b"\x1bP", b"\x1b[?25h",
         "\u200d\ufe0f".encode()]
    ),
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(_PIECES, max_size=30), st.lists(st.integers(0, 200), max_size=12))
def test_the_pieces_do_not_matter_and_nothing_dangerous_comes_through(parts: list[bytes], cuts: list[int]) -> None:
    data = b"".join(parts)
    edges = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    pieces = [data[start:end] for start, end in pairwise(edges)]
    whole = lines(data)
    assert lines(*pieces) == whole
    for line in whole:
        assert line is None or not [one for one in line.text if unicodedata.category(one) in ("Cc", "Cs")]


@settings(max_examples=200, deadline=None)
@given(st.lists(_PIECES, max_size=30))
def test_stored_lines_hold_no_sequence_but_colours(parts: list[bytes]) -> None:
    sheet = Sheet()
    output = Output(sheet)
    output.feed(b"".join(parts))
    for raw in [*sheet.lines, output.open]:
        assert raw is None or "\x1b" not in text_of(raw)


def test_a_combining_character_behind_a_wide_one_at_the_limit_is_no_fault() -> None:
    (line,) = stored("a" * (LINE_LIMIT - 1) + "漢\u0301b")
    assert line.startswith("a" * (LINE_LIMIT - 1))
    assert "漢" not in line and "not shown" in line

"""Colours and attributes of printed text."""

import pytest
from rich.color import ColorType

from tui.terminal.sgr import PLAIN, Look, changed, look_after, read, style_of, text_of


@pytest.mark.parametrize(
    ("parameters", "look"),
    [
        ("1;31", Look(("bold",), "31")),
        ("", PLAIN),
        ("0", PLAIN),
        ("94;103", Look((), "94", "103")),
        ("38;5;208", Look((), "38;5;208")),
        ("48;2;1;2;3", Look((), "", "48;2;1;2;3")),
        ("38:5:208", Look((), "38;5;208")),
        ("38:2::1:2:3", Look((), "38;2;1;2;3")),
        ("38;5;999", PLAIN),
        ("38", PLAIN),
        ("38;5", Look((), "38;5;0")),
        ("58;5;3;4", Look(("underline",))),
        ("5", Look(("bold",))),
        ("777;1", Look(("bold",))),
        ("1;0;4", Look(("underline",))),
    ],
)
def test_parameters(parameters: str, look: Look) -> None:
    assert changed(PLAIN, parameters) == look


@pytest.mark.parametrize(
    ("code", "left"),
    [("22", ("italic", "underline")), ("23", ("bold", "dim", "underline")), ("24", ("bold", "dim", "italic"))],
)
def test_attributes_are_taken_back(code: str, left: tuple[str, ...]) -> None:
    assert changed(changed(PLAIN, "1;2;3;4;32;41"), code) == Look(left, "32", "41")


def test_colours_are_taken_back() -> None:
    assert changed(Look((), "32", "41"), "39;49") == PLAIN


def test_a_looks_own_sequence_leads_to_it_from_anywhere() -> None:
    for look in (PLAIN, Look(("bold", "strike"), "38;5;9", "107"), Look((), "", "48;2;9;8;7")):
        assert look_after(look.sgr, Look(("italic",), "35", "42")) == look


def test_runs_of_one_look_are_joined() -> None:
    line = read("\x1b[31mre\x1b[31md\x1b[m plain")
    assert line.text == text_of("\x1b[31mre\x1b[31md\x1b[m plain") == "red plain"
    assert line.runs == (("red", Look((), "31")), (" plain", PLAIN))


def test_the_sixteen_colours_stay_the_palettes() -> None:
    style = style_of(Look((), "31", "104"))
    assert style.color is not None and style.color.type is ColorType.STANDARD and style.color.number == 1
    assert style.bgcolor is not None and style.bgcolor.number == 12


def test_nothing_blinks() -> None:
    assert not style_of(changed(PLAIN, "5;6")).blink

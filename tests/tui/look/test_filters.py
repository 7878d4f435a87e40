"""The last touch to what is painted: commands' colours stay readable, ASCII mode paints ASCII."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from tui.look.contrast import BLACK, WHITE, Rgb, contrast, rgb
from tui.look.filters import AsciiOnly, CommandColors, in_ascii
from tui.look.palettes import LIGHT, PALETTES, Palette

LS_COLORS = (
    "bold color(4)",
    "color(0) on color(2)",
    "color(4) on color(2)",
    "color(7) on color(1)",
    "color(0) on color(3)",
)
JOURNAL_COLORS = ("color(245)", "bold color(185)")
EVERY_COLOR = [f"color({number})" for number in range(256)]


def painted(style: str, palette: Palette) -> Style:
    background = Color.parse(palette.background)
    (segment,) = CommandColors(palette.name).apply([Segment("text", Style.parse(style))], background)
    assert segment.style is not None
    return segment.style


def shortfall(style: Style, palette: Palette) -> float:
    """What the contrast of a text lacks of the palette's; on a middle grey there is less to be had than that."""
    colors = [style.color or RichColor.parse(palette.foreground), style.bgcolor or RichColor.parse(palette.background)]
    front, ground = (_rgb(color) for color in colors)
    if style.reverse:
        front, ground = ground, front
    return min(palette.least, max(contrast(BLACK, ground), contrast(WHITE, ground))) - contrast(front, ground)


def _rgb(color: RichColor) -> Rgb:
    red, green, blue = color.get_truecolor()
    return red, green, blue


@pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)
def test_every_colour_that_a_command_can_print_can_be_read(palette: Palette) -> None:
    grounds = [f"color({front}) on color({back})" for front in range(16) for back in range(16)]
    for style in (*LS_COLORS, *JOURNAL_COLORS, *EVERY_COLOR, *grounds):
        assert shortfall(painted(style, palette), palette) <= 0, style
        assert shortfall(painted(f"reverse {style}", palette), palette) <= 0, f"reverse {style}"


def test_a_readable_colour_is_the_themes_own() -> None:
    color = painted("color(1)", LIGHT).color
    assert color is not None and color.get_truecolor() == rgb(LIGHT.ansi[1])


def test_the_programs_own_colours_are_left_alone() -> None:
    faint = "#fafaf8 on #fafaf7"
    assert painted(faint, LIGHT) == Style.parse(faint)


def test_frames_and_signs_have_ascii_likenesses() -> None:
    assert in_ascii("╭─┤ Briefing ├─╮") == "+-+ Briefing +-+"
    assert in_ascii("│ ▶ ● ✗ …") == "| > * x ~"


def test_what_has_no_likeness_is_as_wide_as_it_was() -> None:
    assert in_ascii("a漢字b") == "a? ? b"
    assert in_ascii("e\u0301") == "e"


@given(st.text())
def test_any_text_becomes_ascii_of_the_same_width(text: str) -> None:
    parts = [in_ascii(character) for character in text]
    assert all(part.isascii() for part in parts)
    assert [len(part) for part, character in zip(parts, text, strict=True) if not character.isascii()] == [
        cell_len(character) for character in text if not character.isascii()
    ]


def test_the_filter_keeps_styles() -> None:
    bold = Style(bold=True)
    done = AsciiOnly().apply([Segment("plain"), Segment("─▶", bold)], Color.parse("#000000"))
    assert done == [Segment("plain"), Segment("->", bold)]

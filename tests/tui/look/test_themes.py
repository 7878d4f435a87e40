"""Every theme can be read, and told apart by those who see fewer colours: computed from the themes' data."""

from __future__ import annotations

from itertools import combinations
from math import dist

import pytest

from tui.look.contrast import BLACK, WHITE, Rgb, contrast, linear, luminance, readable, rgb
from tui.look.palettes import COLOUR_BLIND, HIGH_CONTRAST, MONOCHROME, PALETTES, Palette
from tui.look.themes import DEFAULT_THEME, THEMES, TITLES, palette_of, terminal_theme, theme_named

AAA, AA, SIGN = 7.0, 4.5, 3.0
STATES = ("ok", "degraded", "down", "drained", "unknown")
COLORED = [palette for palette in PALETTES if palette is not MONOCHROME]

# What the eye without one kind of cone makes of linear red, green and blue (Machado, Oliveira and Fernandes, 2009).
VISION = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "all cones": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
}

each_palette = pytest.mark.parametrize("palette", PALETTES, ids=lambda palette: palette.name)


def lab(color: Rgb, vision: str) -> tuple[float, float, float]:
    """CIE L*a*b* (D65) of a colour as an eye sees it."""
    light = [linear(channel) for channel in color]
    red, green, blue = (min(max(sum(w * c for w, c in zip(row, light, strict=True)), 0), 1) for row in VISION[vision])
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def distance(one: str, other: str, vision: str) -> float:
    return dist(lab(rgb(one), vision), lab(rgb(other), vision))


def least(color: str, palette: Palette) -> float:
    """The contrast of a colour with the ground that suits it least."""
    return min(contrast(rgb(color), rgb(ground)) for ground in (palette.background, palette.surface, palette.panel))


def test_contrast_is_wcags() -> None:
    assert contrast(BLACK, WHITE) == pytest.approx(21)
    assert contrast(rgb("#777777"), WHITE) == pytest.approx(4.48, abs=0.01)
    assert luminance(rgb("#ff0000")) == pytest.approx(0.2126)


@pytest.mark.parametrize("ground", [BLACK, WHITE, rgb("#808080")])
def test_readable_moves_a_colour_only_as_far_as_it_takes(ground: Rgb) -> None:
    kept = readable(rgb("#d7d75f"), rgb("#101010"), AA)
    assert kept == rgb("#d7d75f")
    moved = readable(rgb("#7f7f7f"), ground, AA)
    assert contrast(moved, ground) >= AA
    assert contrast(readable(rgb("#7f7f7f"), ground, 21), ground) <= 21  # as far as there is


@each_palette
def test_text_can_be_read(palette: Palette) -> None:
    wanted = AAA if palette is HIGH_CONTRAST else AA
    assert palette.least == wanted
    for name in ("foreground", "muted", "accent"):
        assert least(getattr(palette, name), palette) >= wanted, name
    assert contrast(rgb(palette.on_accent), rgb(palette.accent)) >= wanted
    for name in ("foreground", "muted", "accent", *STATES):
        assert contrast(rgb(getattr(palette, name)), rgb(palette.selection)) >= wanted, f"{name} on the selection"


@each_palette
def test_states_stand_out_and_their_words_can_be_read(palette: Palette) -> None:
    for state in STATES:
        assert least(getattr(palette, state), palette) >= (AAA if palette is HIGH_CONTRAST else AA), state


@each_palette
def test_the_frame_with_the_focus_stands_out_from_those_without(palette: Palette) -> None:
    assert contrast(rgb(palette.accent), rgb(palette.background)) >= SIGN
    apart = max(distance(palette.accent, palette.frame, vision) for vision in VISION)
    assert apart >= 20
    assert least(palette.frame, palette) >= (AAA if palette is HIGH_CONTRAST else 1.5)


@each_palette
def test_colours_of_commands_can_be_read(palette: Palette) -> None:
    assert len(palette.ansi) == 16
    dark_black = 1 if palette.dark else 0  # black on a dark ground is for text on colour
    for number, color in enumerate(palette.ansi[dark_black:], dark_black):
        assert least(color, palette) >= (AAA if palette is HIGH_CONTRAST else AA), number


@pytest.mark.parametrize("palette", COLORED, ids=lambda palette: palette.name)
def test_states_differ(palette: Palette) -> None:
    for one, other in combinations(STATES, 2):
        assert distance(getattr(palette, one), getattr(palette, other), "all cones") >= 15, (one, other)


@pytest.mark.parametrize("vision", ["protanopia", "deuteranopia"])
def test_states_of_the_colour_blind_safe_theme_differ_for_every_eye(vision: str) -> None:
    for one, other in combinations(STATES, 2):
        assert distance(getattr(COLOUR_BLIND, one), getattr(COLOUR_BLIND, other), vision) >= 15, (one, other)


@pytest.mark.parametrize("vision", ["protanopia", "deuteranopia"])
def test_commands_red_and_green_of_the_colour_blind_safe_theme_differ_for_every_eye(vision: str) -> None:
    assert distance(COLOUR_BLIND.ansi[1], COLOUR_BLIND.ansi[2], vision) >= 30


def test_monochrome_has_no_colour() -> None:
    for color in (MONOCHROME.ok, MONOCHROME.down, MONOCHROME.accent, *MONOCHROME.ansi):
        assert len(set(rgb(color))) == 1, color


@pytest.mark.parametrize("name", THEMES)
def test_textual_makes_colours_of_every_theme(name: str) -> None:
    made = THEMES[name].to_color_system().generate() | THEMES[name].variables
    palette = palette_of(name)
    assert made["state-down"] == palette.down
    assert made["text-muted"] == made["foreground-muted"] == palette.muted
    assert made["scrollbar"] == palette.frame
    assert made["block-cursor-background"] == palette.accent


def test_a_theme_is_found_by_its_name() -> None:
    assert set(TITLES) == set(THEMES)
    assert theme_named("breakfix-light") == "breakfix-light"
    assert theme_named("of another version") == DEFAULT_THEME
    assert theme_named("breakfix-light", no_color=True) == "breakfix-monochrome"
    assert terminal_theme("breakfix-light").ansi_colors[1] == rgb(palette_of("breakfix-light").ansi[1])

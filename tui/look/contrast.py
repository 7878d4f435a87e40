"""How well two colours can be told apart: WCAG 2's contrast ratio, and a colour moved until it can be read."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

Rgb: TypeAlias = tuple[int, int, int]

BLACK: Rgb = (0, 0, 0)
WHITE: Rgb = (255, 255, 255)
_STEPS = 20


def rgb(text: str) -> Rgb:
    """A colour written as `#rrggbb`."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def linear(channel: int) -> float:
    """The light of a channel (0 to 255), from 0 to 1."""
    value = channel / 255
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)


def luminance(color: Rgb) -> float:
    """Relative luminance, from 0 (black) to 1 (white)."""
    red, green, blue = map(linear, color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Rgb, other: Rgb) -> float:
    """The contrast ratio of two colours, from 1 to 21; 4.5 is asked for text, 3 for signs."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@lru_cache(1024)
def readable(color: Rgb, background: Rgb, least: float) -> Rgb:
    """`color`, moved towards white or black only as far as it takes to have that contrast with the background."""
    if contrast(color, background) >= least:
        return color
    end = max((BLACK, WHITE), key=lambda end: contrast(end, background))
    blends = (_blend(color, end, step / _STEPS) for step in range(1, _STEPS + 1))
    return next((blend for blend in blends if contrast(blend, background) >= least), end)


def _blend(color: Rgb, end: Rgb, share: float) -> Rgb:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(color, end, strict=True))
    return red, green, blue

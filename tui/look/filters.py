"""What is done to everything that is painted, last: colours of commands become the theme's and stay readable, and in
ASCII mode whatever is not ASCII becomes it.
"""

from __future__ import annotations

from functools import cache, lru_cache

from rich.cells import cell_len
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import ANSIToTruecolor, LineFilter

from tui.look.ascii_signs import SIGNS
from tui.look.contrast import Rgb, readable
from tui.look.themes import palette_of, terminal_theme

UNKNOWN_SIGN = "?"


class CommandColors(ANSIToTruecolor):
    """The colours that commands print in, as the theme has them. Text in one that the background swallows (a pale
    yellow of the 256 on a light theme) is moved as far as it takes to read it. The program's own colours are exact and
    stay.
    """

    def __init__(self, theme: str) -> None:
        super().__init__(terminal_theme(theme))
        self._least = palette_of(theme).least

    @lru_cache(1024)  # noqa: B019 there is one of these for each theme, and it lives as long as the program
    def truecolor_style(self, style: Style, background: RichColor) -> Style:
        """A style of a command's text in exact colours."""
        exact = super().truecolor_style(style, background)
        if not _is_ansi(style.color) and not _is_ansi(style.bgcolor):
            return exact
        front, ground = exact.color or _rich(self._front), exact.bgcolor or background
        if exact.reverse:
            front, ground = ground, front
        read = _rich(readable(_rgb(front), _rgb(ground), self._least))
        return exact + (Style.from_color(None, read) if exact.reverse else Style.from_color(read))

    @property
    def _front(self) -> Rgb:
        red, green, blue = self._terminal_theme.foreground_color
        return red, green, blue


class AsciiOnly(LineFilter):
    """Frames, scroll bars and signs as ASCII, whoever drew them; a character that has no likeness is a question mark
    in each of its columns.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments in ASCII."""
        return [
            segment if segment.text.isascii() else Segment(in_ascii(segment.text), segment.style, segment.control)
            for segment in segments
        ]


@lru_cache(4096)
def in_ascii(text: str) -> str:
    """A text in ASCII, as wide as it was."""
    return likeness_of(text)


def likeness_of(text: str) -> str:
    """The same, worked out anew."""
    return "".join(character if character.isascii() else _likeness(character) for character in text)


@cache
def _likeness(character: str) -> str:
    columns = cell_len(character)
    return SIGNS.get(character, UNKNOWN_SIGN)[:1].ljust(columns)[:columns] if columns else ""


def _is_ansi(color: RichColor | None) -> bool:
    return color is not None and color.triplet is None


def _rgb(color: RichColor) -> Rgb:
    triplet = color.get_truecolor()
    return triplet.red, triplet.green, triplet.blue


def _rich(color: Rgb) -> RichColor:
    return RichColor.from_rgb(*color)

"""A program in our clothes: theme, the colours of commands, ASCII mode; no animation, and cursors that do not blink."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, ClassVar

from rich.terminal_theme import TerminalTheme
from textual import events
from textual.app import App
from textual.filter import ANSIToTruecolor, LineFilter, Monochrome
from textual.scrollbar import ScrollBar, ScrollBarRender

from tui.look.filters import AsciiOnly, CommandColors
from tui.look.palettes import MONOCHROME
from tui.look.themes import DEFAULT_THEME, THEMES, terminal_theme, theme_named

ASCII_CLASS = "ascii"
"""Stands on the program in ASCII mode, for style sheets."""


class Dressed(App[Any]):
    """`dress` puts on a theme and a set of signs, at any time."""

    def __init__(self) -> None:
        super().__init__()
        for theme in THEMES.values():
            self.register_theme(theme)
        self.animation_level = "none"
        self._ascii, self._greys = AsciiOnly(), Monochrome()
        self.theme = DEFAULT_THEME

    def dress(self, theme: str, *, ascii_only: bool) -> None:
        """Show the theme of this name (greys where the user's environment asks for no colour)."""
        self.theme = theme_named(theme, no_color=self.no_color)
        self.set_class(ascii_only, ASCII_CLASS)
        ScrollBar.renderer = _WholeCells if ascii_only else ScrollBarRender
        self.refresh(layout=True)

    @property
    def ansi_theme(self) -> TerminalTheme:
        """The sixteen colours of the theme, wherever Textual asks for them."""
        return terminal_theme(self.theme)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our names of colours are known before a theme of ours is put on."""
        return THEMES[DEFAULT_THEME].variables

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What is done to everything that is painted."""
        ours = _command_colors(self.theme)
        filters = [ours if isinstance(one, ANSIToTruecolor) else one for one in super().get_line_filters()]
        if self.theme == MONOCHROME.name:
            filters.append(self._greys)
        if self.has_class(ASCII_CLASS):
            filters.append(self._ascii)
        return filters

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Nothing blinks, not even in Textual's own fields."""
        if getattr(event.widget, "cursor_blink", False):
            setattr(event.widget, "cursor_blink", False)  # noqa: B010 only some widgets have it


class _WholeCells(ScrollBarRender):
    """A scroll bar without the parts of cells that smooth its ends."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "]
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "]


@cache
def _command_colors(theme: str) -> CommandColors:
    return CommandColors(theme)

"""The themes, made of the palettes. Each gives, beside Textual's own colours, one for each state (`$state-ok` ...), the
muted text (`$muted`), and the frames (`$frame`), and the sixteen colours that commands print in.
"""

from __future__ import annotations

from functools import cache

from rich.terminal_theme import TerminalTheme
from textual.theme import Theme

from tui.look.contrast import rgb
from tui.look.palettes import DARK, MONOCHROME, PALETTES, Palette


def _theme(palette: Palette) -> Theme:
    return Theme(
        name=palette.name,
        primary=palette.accent,
        secondary=palette.muted,
        accent=palette.accent,
        foreground=palette.foreground,
        background=palette.background,
        surface=palette.surface,
        panel=palette.panel,
        success=palette.ok,
        warning=palette.degraded,
        error=palette.down,
        dark=palette.dark,
        variables=_variables(palette),
    )


def _variables(palette: Palette) -> dict[str, str]:
    return {**_own(palette), **_texts(palette), **_cursors(palette), **_scrollbars(palette), **_markdown(palette)}


def _own(palette: Palette) -> dict[str, str]:
    """What Textual has no name for."""
    return {
        "state-ok": palette.ok,
        "state-degraded": palette.degraded,
        "state-down": palette.down,
        "state-drained": palette.drained,
        "state-unknown": palette.unknown,
        "muted": palette.muted,
        "frame": palette.frame,
        "selection": palette.selection,
        "on-accent": palette.on_accent,
    }


def _texts(palette: Palette) -> dict[str, str]:
    return {
        "text": palette.foreground,
        "text-muted": palette.muted,
        "text-disabled": palette.muted,
        "foreground-muted": palette.muted,
        "foreground-disabled": palette.muted,
        "border": palette.accent,
        "border-blurred": palette.frame,
        "link-color": palette.accent,
        "link-color-hover": palette.on_accent,
        "link-background-hover": palette.accent,
        "button-foreground": palette.foreground,
        "button-color-foreground": palette.on_accent,
        "footer-key-foreground": palette.accent,
    }


def _cursors(palette: Palette) -> dict[str, str]:
    return {
        "block-cursor-foreground": palette.on_accent,
        "block-cursor-background": palette.accent,
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-foreground": palette.foreground,
        "block-cursor-blurred-background": palette.selection,
        "block-hover-background": palette.panel,
        "input-cursor-background": palette.foreground,
        "input-cursor-foreground": palette.background,
        "input-selection-background": palette.selection,
        "input-selection-foreground": palette.foreground,
        "screen-selection-background": palette.selection,
        "screen-selection-foreground": palette.foreground,
    }


def _scrollbars(palette: Palette) -> dict[str, str]:
    thumb = {f"scrollbar{part}": color for part, color in (("", palette.frame), ("-hover", palette.muted))}
    ground = {f"scrollbar-background{part}": palette.surface for part in ("", "-hover", "-active")}
    return {**thumb, **ground, "scrollbar-active": palette.accent, "scrollbar-corner-color": palette.surface}


def _markdown(palette: Palette) -> dict[str, str]:
    headings = {f"markdown-h{level}-color": palette.foreground for level in range(1, 7)}
    return {**headings, "markdown-h1-text-style": "bold", "markdown-h2-text-style": "bold"}


_PALETTE_OF = {palette.name: palette for palette in PALETTES}

THEMES = {palette.name: _theme(palette) for palette in PALETTES}
TITLES = {palette.name: palette.title for palette in PALETTES}
DEFAULT_THEME = DARK.name


def palette_of(theme: str) -> Palette:
    """The palette of a theme; the default one's for a name that is none of ours."""
    return _PALETTE_OF.get(theme, DARK)


def theme_named(name: str, *, no_color: bool = False) -> str:
    """The theme to show for the name that the settings hold: what the user wants without colour comes in greys."""
    if no_color:
        return MONOCHROME.name
    return name if name in THEMES else DEFAULT_THEME


@cache
def terminal_theme(theme: str) -> TerminalTheme:
    """The sixteen colours of a theme as Textual wants them."""
    palette = palette_of(theme)
    colors = [rgb(color) for color in palette.ansi]
    return TerminalTheme(rgb(palette.background), rgb(palette.foreground), colors[:8], colors[8:])

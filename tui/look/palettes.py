"""The colours of each theme, as data: those of the program's parts, one for each state, and the sixteen that commands
print in. `tests/tui/look/test_themes.py` holds them to their contrasts.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme. `least` is the contrast that its text has at least."""

    name: str
    title: str
    dark: bool
    least: float
    background: str
    surface: str
    panel: str
    frame: str
    """Frames without the focus."""
    foreground: str
    muted: str
    """Text that matters less; still text."""
    accent: str
    """Keys, the frame with the focus, the cursor's row: the one colour that draws the eye."""
    on_accent: str
    selection: str
    ok: str
    degraded: str
    down: str
    drained: str
    unknown: str
    ansi: tuple[str, ...]
    """What commands print in: black, red, green, yellow, blue, magenta, cyan, white, and the eight bright ones."""


DARK = Palette(
    name="breakfix-dark",
    title="Dark",
    dark=True,
    least=4.5,
    background="#12151a",
    surface="#171b21",
    panel="#1e232b",
    frame="#3d4653",
    foreground="#d8dee9",
    muted="#a3adbd",
    accent="#56cbd0",
    on_accent="#0b1416",
    selection="#243b48",
    ok="#86c166",
    degraded="#e6b450",
    down="#f58585",
    drained="#9db2f0",
    unknown="#a3adbd",
    ansi=(
        "#1e232b", "#f07171", "#86c166", "#e6b450", "#7aa2f0", "#c792d8", "#4fc3c8", "#d8dee9",
        "#98a2b3", "#ff9292", "#a5dc85", "#ffd27a", "#9dbcff", "#dfb2ec", "#7fdfe2", "#ffffff",
    ),
)  # fmt: skip

LIGHT = Palette(
    name="breakfix-light",
    title="Light",
    dark=False,
    least=4.5,
    background="#fafaf7",
    surface="#f1f1ec",
    panel="#e6e7e2",
    frame="#a5abb2",
    foreground="#22262c",
    muted="#575e68",
    accent="#006a78",
    on_accent="#ffffff",
    selection="#c8e6eb",
    ok="#2e6b12",
    degraded="#855300",
    down="#b3202c",
    drained="#3b4fa8",
    unknown="#575e68",
    ansi=(
        "#22262c", "#b3202c", "#2e6b12", "#7a5200", "#1f52b5", "#8a2f8f", "#006a78", "#5a616b",
        "#575e68", "#c0272d", "#35700f", "#805500", "#2a5bd0", "#9a3aa0", "#00707d", "#3a4049",
    ),
)  # fmt: skip

# Blue, yellow and orange are of Okabe and Ito's palette ("Color Universal Design", 2008). Its reddish purple looks like
# the grey of "not seen" to an eye without green cones, so that drained is violet.
COLOUR_BLIND = Palette(
    name="breakfix-colour-blind",
    title="Colour-blind safe (blue and orange)",
    dark=True,
    least=4.5,
    background="#101418",
    surface="#161b21",
    panel="#1d242c",
    frame="#414c59",
    foreground="#dde3ea",
    muted="#a3adba",
    accent="#34c9a2",
    on_accent="#08140f",
    selection="#22394d",
    ok="#56b4e9",
    degraded="#f0e442",
    down="#f58535",
    drained="#a093ff",
    unknown="#a3adba",
    ansi=(
        "#1d242c", "#ef7622", "#56b4e9", "#f0e442", "#7fa6e0", "#cc79a7", "#2fc09a", "#dde3ea",
        "#9aa5b3", "#ff9a52", "#86cdf7", "#fff38a", "#a5c3f2", "#e3a1c6", "#66dcbc", "#ffffff",
    ),
)  # fmt: skip

HIGH_CONTRAST = Palette(
    name="breakfix-high-contrast",
    title="High contrast",
    dark=True,
    least=7.0,
    background="#000000",
    surface="#000000",
    panel="#141414",
    frame="#b0b0b0",
    foreground="#ffffff",
    muted="#d0d0d0",
    accent="#ffff00",
    on_accent="#000000",
    selection="#002e6b",
    ok="#5cff5c",
    degraded="#ffbe33",
    down="#ffb0b0",
    drained="#b3d0ff",
    unknown="#d0d0d0",
    ansi=(
        "#000000", "#ff9090", "#5cff5c", "#ffe14d", "#a6c8ff", "#ffa6ff", "#5cf0ff", "#ffffff",
        "#c0c0c0", "#ffb3b3", "#a0ffa0", "#fff09a", "#c6dcff", "#ffc9ff", "#a6f7ff", "#ffffff",
    ),
)  # fmt: skip

MONOCHROME = Palette(
    name="breakfix-monochrome",
    title="Monochrome",
    dark=True,
    least=4.5,
    background="#101010",
    surface="#161616",
    panel="#202020",
    frame="#585858",
    foreground="#dcdcdc",
    muted="#b0b0b0",
    accent="#ffffff",
    on_accent="#101010",
    selection="#404040",
    ok="#c8c8c8",
    degraded="#ffffff",
    down="#ffffff",
    drained="#b8b8b8",
    unknown="#b0b0b0",
    ansi=(
        "#202020", "#e8e8e8", "#c8c8c8", "#d8d8d8", "#b0b0b0", "#c0c0c0", "#b8b8b8", "#dcdcdc",
        "#a0a0a0", "#ffffff", "#e0e0e0", "#f0f0f0", "#d0d0d0", "#e0e0e0", "#d8d8d8", "#ffffff",
    ),
)  # fmt: skip

PALETTES = (DARK, LIGHT, COLOUR_BLIND, HIGH_CONTRAST, MONOCHROME)

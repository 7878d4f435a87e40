"""Keys by name: how Textual calls them, how people read them, and which ones others take.

A sequence is one key (`f2`, `ctrl+r`, `?`) or the prefix and another (`prefix m`, `prefix |`).
"""

from __future__ import annotations

PREFIX = "prefix"

TAKEN = {
    "f1": "desktop terminals open their own help",
    "f5": "browsers reload the page",
    "f10": "desktop terminals open their menu",
    "f11": "desktops and browsers switch to the full screen",
    "f12": "browsers open their tools",
    "ctrl+w": "browsers close the tab",
    "ctrl+t": "browsers open a tab",
    "ctrl+n": "browsers open a window",
    "ctrl+q": "browsers and desktops quit",
    "ctrl+p": "browsers print",
}
"""Keys that browsers, desktops and terminals may take for themselves; none of them is the only way to an action."""

UNSEEN = {"ctrl+i", "ctrl+m", "ctrl+h", "shift+enter", "ctrl+enter", "alt+enter", "ctrl+left_square_bracket"}
"""Keys that a plain terminal cannot tell from Tab, Enter, Backspace or Escape."""

_SHOWN = {
    "enter": "Enter", "escape": "Esc", "tab": "Tab", "shift+tab": "S-Tab", "space": "Space", "backspace": "Bksp",
    "delete": "Del", "insert": "Ins", "home": "Home", "end": "End", "pageup": "PgUp", "pagedown": "PgDn", "up": "Up",
    "down": "Down", "left": "Left", "right": "Right",
}  # fmt: skip


def named(key: str, character: str | None) -> str:
    """A key under the one name that sequences use: what it types as itself (`?`, `M`), others by Textual's name."""
    if character and character.isprintable() and character != " " and not key.startswith(("ctrl+", "alt+")):
        return character
    return key


def shown(sequence: str, prefix: str = "ctrl+b") -> str:
    """A sequence as people read it: `^B m`, `F2`, `Enter`."""
    return " ".join(_shown(prefix if key == PREFIX else key) for key in sequence.split(" "))


def _shown(key: str) -> str:
    if key in _SHOWN:
        return _SHOWN[key]
    if key.startswith("ctrl+") and len(key) == len("ctrl+x"):
        return f"^{key[-1].upper()}"
    if key.startswith("alt+"):
        return f"M-{_shown(key.removeprefix('alt+'))}"
    return key.upper() if key.startswith("f") and key[1:].isdigit() else key

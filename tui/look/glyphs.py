"""Glyphs, and states as glyph + word + colour: nothing is told by colour alone.

Two sets: Unicode, and ASCII for terminals and fonts that have nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """How something looks to somebody who runs a cluster. The value is the word that stands beside the glyph."""

    OK = "ok"
    DEGRADED = "degraded"
    DOWN = "down"
    DRAINED = "drained"
    UNKNOWN = "not seen"

    @property
    def tone(self) -> str:
        """The theme's name of its colour."""
        return f"state-{self.name.lower()}"


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of glyphs. Each is one column wide."""

    ok: str
    degraded: str
    down: str
    drained: str
    unknown: str
    checked: str
    unchecked: str
    chosen: str
    unchosen: str
    pin: str
    logged: str
    play: str
    pause: str
    bullet: str
    arrow: str
    open: str
    closed: str
    rule: str
    bar: str
    ellipsis: str
    tick: str
    cross: str
    menu: str
    border: str
    """Textual's name of the border style."""

    def of(self, state: State) -> str:
        """The glyph of a state."""
        return str(getattr(self, state.name.lower()))


UNICODE = Glyphs(
    ok="●", degraded="▲", down="✗", drained="◌", unknown="·", checked="☑", unchecked="☐", chosen="◉", unchosen="○",
    pin="◆", logged="▤", play="▶", pause="‖", bullet="•", arrow="→", open="▾", closed="▸", rule="─", bar="│",
    ellipsis="…", tick="✓", cross="✗", menu="≡", border="round",
)  # fmt: skip

ASCII = Glyphs(
    ok="o", degraded="!", down="x", drained="-", unknown=".", checked="X", unchecked="_", chosen="*", unchosen="o",
    pin="#", logged="@", play=">", pause="=", bullet="*", arrow=">", open="v", closed=">", rule="-", bar="|",
    ellipsis="~", tick="+", cross="x", menu="=", border="ascii",
)  # fmt: skip

_PLAIN_TERMINALS = ("linux", "vt", "ansi", "dumb")


def shows_unicode(environment: Mapping[str, str]) -> bool:
    """Whether the terminal of this environment shows more than ASCII: as its locale says, where it says anything."""
    if environment.get("TERM", "").startswith(_PLAIN_TERMINALS):
        return False
    locale = next((environment[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if environment.get(name)), "")
    return not locale or "utf" in locale.lower()

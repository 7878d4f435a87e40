"""Hosts that a session is about: those in use, the one that the briefing names, the one that lines were last for."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from tui.live.drill import LiveDrill
from tui.live.live import Live

_RECENT = 8
_LINES_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class _Choice:
    """A host, and the one that the terminal was on when it was chosen."""

    host: str
    here: str


_chosen: WeakKeyDictionary[Live, _Choice] = WeakKeyDictionary()


def remember_host(live: Live, host: str, here: str) -> None:
    """Lines are for `host`, for who sits at a terminal on `here`."""
    _chosen[live] = _Choice(host, here)


def first_host(live: Live, here: str) -> str:
    """The host that lines are likely for at a terminal on `here`: the one they were last for, unless one has logged in
    elsewhere since; then the one that one is logged in to, or that the briefing names.
    """
    chosen = _chosen.get(live)
    if chosen is not None and chosen.here == here:
        return chosen.host
    if here != live.simulation.world.inventory.login_host:
        return here
    return chosen.host if chosen is not None else briefed_host(live) or here


def briefed_host(live: Live) -> str | None:
    """The first host that the briefing of a drill names."""
    if not isinstance(live, LiveDrill):
        return None
    told = live.session.briefing
    named = named_hosts(f"{told.subject}\n{told.text}", live.simulation.world.inventory.node_index)
    return named[0] if named else None


def recent_hosts(live: Live) -> list[str]:
    """Hosts that terminals are on, and then those that were named in their lines, the latest first."""
    known = live.simulation.world.inventory.node_index
    terminals = [terminal for terminal in live.play.terminals if not terminal.closed]
    found = dict.fromkeys(terminal.top.place.host for terminal in terminals)
    for login in [login for terminal in terminals for login in reversed(terminal.logins)]:
        for line in reversed(login.history.lines[-_LINES_LOOKED_AT:]):
            found.update(dict.fromkeys(named_hosts(line, known)))
    return list(found)[:_RECENT]


def named_hosts(text: str, known: Container[str]) -> list[str]:
    """The known hosts that a text names, in its order, each once."""
    words = (word.strip(".-") for word in re.findall(r"[\w.-]+", text))
    return list(dict.fromkeys(word for word in words if word in known))

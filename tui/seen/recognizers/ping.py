"""ping: whether a node or a switch answers on the network."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading, Shape

COMMANDS = ("ping",)
SITE_WIDE = True

_SUMMARY = re.compile(
    r"^--- (\S+) ping statistics ---\n\d+ packets transmitted, .*?([\d.]+)% packet loss", re.MULTILINE
)
_NONE_LOST, _ALL_LOST = 0, 100


def read(reading: Reading) -> Iterator[Sighting]:
    """The summary at the end."""
    if reading.shape is Shape.LOOSE:
        return
    for match in _SUMMARY.finditer(reading.text):
        machine = reading.site.machine(match[1])
        if machine:
            yield reading.saw(machine, "ping", *_answer(match[2]))


def _answer(lost: str) -> tuple[str, State]:
    try:
        share = float(lost)
    except ValueError:
        return f"{lost}% packet loss", State.UNKNOWN
    if share == _NONE_LOST:
        return "answers", State.OK
    return ("no answer", State.DOWN) if share == _ALL_LOST else (f"{lost}% packet loss", State.DEGRADED)

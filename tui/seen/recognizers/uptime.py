"""uptime, and the first line of w: since when a host is up, and its load."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading

COMMANDS = ("uptime", "w")

_LINE = re.compile(r" ?\d\d:\d\d:\d\d up\s+(.+?),\s+\d+ users?,\s+load average: ([\d., ]+)")


def read(reading: Reading) -> Iterator[Sighting]:
    """The last such line."""
    for match in list(filter(None, map(_LINE.fullmatch, reading.lines)))[-1:]:
        yield reading.saw(reading.host, "uptime", f"up {match[1]}", State.OK)
        yield reading.saw(reading.host, "load", match[2])

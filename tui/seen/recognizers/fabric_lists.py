"""ibswitches, ibnodes and ibnetdiscover: the switches that the fabric's discovery found."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading

COMMANDS = ("ibswitches", "ibnodes", "ibnetdiscover")
SITE_WIDE = True

_SWITCH = re.compile(r"^Switch\b.*MF0;([\w.-]+):", re.MULTILINE)


def read(reading: Reading) -> Iterator[Sighting]:
    """Each switch that heads a list or stands in one."""
    for name in dict.fromkeys(match[1] for match in _SWITCH.finditer(reading.text)):
        if name in reading.site.inventory.switches:
            yield reading.saw(name, "fabric", "found by discovery", State.OK)

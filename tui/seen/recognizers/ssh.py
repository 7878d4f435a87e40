"""ssh and what goes through it: hosts that can't be logged in to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading

COMMANDS = ("ssh", "clush", "pdsh", "scp")
SITE_WIDE = True

_FAILED = re.compile(r"^(?:[\w.-]+: )?ssh: connect to host (\S+) port \d+: (.+)$", re.MULTILINE)
_REFUSED = "Connection refused"


def read(reading: Reading) -> Iterator[Sighting]:
    """ssh's own complaints; a host that refuses is there all the same."""
    for match in _FAILED.finditer(reading.text):
        node = reading.site.node(match[1])
        if node:
            yield reading.saw(node, "login", match[2], State.DEGRADED if match[2] == _REFUSED else State.DOWN)

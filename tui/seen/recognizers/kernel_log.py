"""dmesg and journalctl: Xids of GPUs and SXids of NVSwitches, told apart by their PCI addresses.

A log says what was and not what is, so these sightings have no state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading

COMMANDS = ("dmesg", "journalctl")

_XID = re.compile(r"(?:NVRM|nvidia-nvswitch\d+): (S?Xid) \(PCI:([0-9A-Fa-f:.]+)\): (\d+), (.+)$")


def read(reading: Reading) -> Iterator[Sighting]:
    """The last line of each number and part."""
    found: dict[tuple[str, str], Sighting] = {}
    for line in reading.lines:
        match = _XID.search(line)
        part = reading.site.part_at(reading.host, match[2]) if match else None
        if match and part:
            aspect = f"{match[1]} {match[3]}"
            found[part, aspect] = reading.saw(part, aspect, match[4], logged=True)
    yield from found.values()

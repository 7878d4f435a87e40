"""ibqueryerrors: error counters of the ports of nodes and switches.

A few errors are part of every fabric: what is above the values that come with the tools as a suggestion looks bad.
Congestion (PortXmitWait) is no error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading

COMMANDS = ("ibqueryerrors",)
SITE_WIDE = True

_ADAPTER = re.compile(r'Errors for "([\w.-]+) (mlx5_\d+)"')
_SWITCH = re.compile(r'Errors for 0x[0-9a-f]+ "MF0;([\w.-]+):')
_PORT = re.compile(r"   GUID 0x[0-9a-f]+ port (\d+):(.*)")
_COUNTER = re.compile(r"\[(\w+) == (\d+)")
_MUCH = {
    "SymbolErrorCounter": 10, "LinkErrorRecoveryCounter": 10, "LinkDownedCounter": 10, "PortRcvErrors": 10,
    "LocalLinkIntegrityErrors": 10, "ExcessiveBufferOverrunErrors": 10,
}  # fmt: skip


def read(reading: Reading) -> Iterator[Sighting]:
    """Ports below the node that heads them."""
    owner, inventory = "", reading.site.inventory
    for line in reading.lines:
        if line.startswith("Errors for"):
            adapter, switch = _ADAPTER.match(line), _SWITCH.match(line)
            owner = f"{adapter[1]}/{adapter[2]}" if adapter else switch[1] if switch else ""
        port = _PORT.match(line)
        if port is None or f"{owner}/{port[1]}" not in inventory.cables:
            continue
        counts = {name: int(count) for name, count in _COUNTER.findall(port[2]) if name in _MUCH}
        if not counts:
            continue
        bad = any(count > _MUCH[name] for name, count in counts.items())
        told = ", ".join(f"{name} {count}" for name, count in counts.items())
        yield reading.saw(f"{owner}/{port[1]}", "errors", told, State.DEGRADED if bad else State.UNKNOWN)

"""iblinkinfo: switches that discovery found, and what it shows of the ports at both ends of links.

A port of a node is told on its own line, or as the other end of a switch's port. Of a switch those ports are told that
have a cable by the site's records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading

COMMANDS = ("iblinkinfo",)
SITE_WIDE = True

_SWITCH = re.compile(r"Switch: 0x[0-9a-f]{16} MF0;([\w.-]+):")
_ADAPTER = re.compile(r"CA: ([\w.-]+) (mlx5_\d+):$")
_OWN_NAME = re.compile(r'0x[0-9a-f]{16} " *(?:MF0;([\w.-]+):[^"]*|([\w.-]+) (mlx5_\d+))" ')
_LINK = re.compile(r" (\d+)\[ *\] ==\( *(?:4X +([\d.]+) Gbps)? *(\w+)/ *(\w+)\)")
_FAR = re.compile(r'"([\w.-]+) (mlx5_\d+)" \( *(Could be [\d.]+ Gbps)?')
_LOOKS = {"Active": State.OK, "Down": State.DOWN, "Initialize": State.DEGRADED, "Armed": State.DEGRADED}


def read(reading: Reading) -> Iterator[Sighting]:
    """Line by line, below the node that heads them."""
    owner = ""
    for line in reading.lines:
        owner = _owner(line) or ("" if line.startswith("CA: ") else owner)
        if _SWITCH.match(line) and owner in reading.site.inventory.switches:
            yield reading.saw(owner, "fabric", "found by discovery", State.OK)
        match = _LINK.search(line)
        if match and owner:
            yield from _port(reading, owner, match)
            yield from _other_end(reading, line, match)


def _owner(line: str) -> str:
    """The switch or RDMA device whose lines follow, or whose line this is."""
    head = _SWITCH.match(line)
    if head:
        return head[1]
    adapter = _ADAPTER.match(line)
    if adapter:
        return f"{adapter[1]}/{adapter[2]}"
    own = _OWN_NAME.match(line)
    return (own[1] or f"{own[2]}/{own[3]}") if own else ""


def _port(reading: Reading, owner: str, match: re.Match[str]) -> Iterator[Sighting]:
    port, word = f"{owner}/{match[1]}", match[3]
    inventory = reading.site.inventory
    if port not in inventory.cables or inventory.cables[port].internal or word not in _LOOKS:
        return
    value = word if owner not in inventory.switches else f"{word}, {match[4]}"
    yield reading.saw(port, "link", value, _LOOKS[word])


def _other_end(reading: Reading, line: str, match: re.Match[str]) -> Iterator[Sighting]:
    """A node's port behind a switch's."""
    far = _FAR.search(line, match.end())
    port = f"{far[1]}/{far[2]}/1" if far else ""
    if far is None or port not in reading.site.inventory.cables or match[3] not in _LOOKS:
        return
    yield reading.saw(port, "link", match[3], _LOOKS[match[3]])
    if far[3]:
        could = far[3].replace("Could", "could")
        yield reading.saw(port, "speed of a lane", f"{match[2]} Gbps ({could})", State.DEGRADED)

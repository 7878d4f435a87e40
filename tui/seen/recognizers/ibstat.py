"""ibstat and ibstatus: the ports of a host's RDMA devices."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Block, Reading, blocks

COMMANDS = ("ibstat", "ibstatus")

_DEVICE = re.compile(r"(?:CA|Infiniband device) '(mlx5_\d+)'(?: port 1 status:)?$")
_STATE = re.compile(r"\s+[Ss]tate:\s+(?:\d: )?(\w+)$")
_MORE = {
    "physical state": re.compile(r"\s+(?:Physical state|phys state):\s+(?:\d: )?(\w+)$"),
    "rate": re.compile(r"\s+[Rr]ate:\s+(\S.*)$"),
}
_LOOKS = {"active": State.OK, "down": State.DOWN, "init": State.DEGRADED, "initializing": State.DEGRADED,
          "initialize": State.DEGRADED, "armed": State.DEGRADED}  # fmt: skip


def read(reading: Reading) -> Iterator[Sighting]:
    """Port 1 of each device; these have no other."""
    board = reading.site.board(reading.host)
    names = {hca.name: hca.link_layer for hca in board.hcas}
    for block in blocks(reading, _DEVICE, len(names)):
        if block.name in names:
            port = f"{reading.host}/{block.name}/1"
            bare = names[block.name] == "InfiniBand" and port not in reading.site.inventory.cables
            yield from _port(reading, port, block, bare)


def _port(reading: Reading, port: str, block: Block, bare: bool) -> Iterator[Sighting]:
    """What a block says of its port; a `bare` one has no cable by the site's records, so it is down by design."""
    word = _first(_STATE, block)
    if word is None or word.lower() not in _LOOKS:
        return
    state = _LOOKS[word.lower()]
    if state is State.DOWN and bare:
        yield reading.saw(port, "link", f"{word}; the site has no cable here")
    else:
        yield reading.saw(port, "link", word, state)
    for aspect, pattern in _MORE.items():
        value = _first(pattern, block)
        if value is not None:
            yield reading.saw(port, aspect, f"{value} Gb/s" if value.isdecimal() else value)


def _first(pattern: re.Pattern[str], block: Block) -> str | None:
    return next((match[1] for line in block.lines if (match := pattern.match(line))), None)

"""lspci: which GPUs, NVSwitches and RDMA devices answer on the PCI bus. One that does not reads as all ones: rev ff."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading

COMMANDS = ("lspci",)

_FUNCTION = re.compile(
    r"((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) \S.*\(rev ([0-9a-f]{2})\)(?: \(prog-if .*\))?"
)
_EVERYTHING = {"-D", "-n", "-nn", "-k", "-v", "-vv", "-vvv"}
_NO_ANSWER = "ff"


def read(reading: Reading) -> Iterator[Sighting]:
    """Those that are listed; and the GPUs that are not, where everything is listed."""
    listed = set()
    for line in reading.lines:
        match = _FUNCTION.fullmatch(line)
        part = reading.site.part_at(reading.host, match[1]) if match else None
        if match and part:
            listed.add(part)
            yield reading.saw(part, "PCI", f"rev {match[2]}", State.DOWN if match[2] == _NO_ANSWER else State.OK)
    if listed and reading.whole and not set(reading.words[1:]) - _EVERYTHING:
        for gpu in reading.site.gpus(reading.host):
            if gpu not in listed:
                yield reading.saw(gpu, "PCI", "not listed", State.DOWN)

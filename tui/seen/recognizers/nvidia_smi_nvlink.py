"""nvidia-smi nvlink: how many of each GPU's NVLinks are up (-s), and how many errors they counted (-e)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading, Shape, blocks
from tui.seen.shell_words import Words

COMMANDS = ("nvidia-smi",)

_GPU = re.compile(r"GPU \d+: .+ \(UUID: (GPU-[0-9a-f-]+)\)")
_HEAD = re.compile(r"GPU \d+: .+ \(UUID: GPU-")
_LINK = re.compile(r"\s+Link \d+: (<inactive>|[\d.]+ GB/s)")
_COUNTER = re.compile(r"\s+Link \d+: (?:Replay|Recovery|CRC) Errors: (\d+)")
_COUNTERS = 3


def head(words: Words) -> re.Pattern[str] | None:
    """The line that names the first GPU."""
    return _HEAD if len(words) > 1 and words[1] == "nvlink" else None


def read(reading: Reading) -> Iterator[Sighting]:
    """Each GPU whose lines are all there."""
    if reading.words[1:2] != ("nvlink",) or reading.shape < Shape.PIECE:
        return
    for block in blocks(reading, _GPU, 0):
        gpu = reading.site.gpu_by_uuid(reading.host, block.name)
        if gpu is None:
            continue
        links = reading.site.inventory.gpu(gpu).product.nvlinks
        states = [match[1] for match in map(_LINK.fullmatch, block.lines) if match]
        counts = [int(match[1]) for match in map(_COUNTER.fullmatch, block.lines) if match]
        if len(states) == links:
            yield _states(reading, gpu, states)
        if len(counts) == links * _COUNTERS:
            total = sum(counts)
            yield reading.saw(gpu, "NVLink errors", str(total), State.DEGRADED if total else State.OK)


def _states(reading: Reading, gpu: str, states: Sequence[str]) -> Sighting:
    up = sum(state != "<inactive>" for state in states)
    return reading.saw(gpu, "NVLinks", f"{up} of {len(states)} up", State.OK if up == len(states) else State.DEGRADED)

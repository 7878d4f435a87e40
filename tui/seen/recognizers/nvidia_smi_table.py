"""nvidia-smi's table: what each GPU does, and the GPUs that are not in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading, Shape
from tui.seen.recognizers.nvidia_smi import missing
from tui.seen.shell_words import Words

COMMANDS = ("nvidia-smi",)

_DRIVER = re.compile(r"\| NVIDIA-SMI \S+ +Driver Version: (\S+)")
_ADDRESS = re.compile(r"\| +\d+ .{1,60}\| +([0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.0) ")
_VALUES = re.compile(
    r"\| *\S+ +(?:(\d+)C|N/A|ERR!)\s+\S+ +(\d+W|N/A|ERR!) +/ +(\d+W|N/A|ERR!) +"
    r"\| +(\d+)MiB +/ +(\d+)MiB +\| +(?:(\d+)%|N/A|ERR!)"
)
_END = re.compile(r"\| Processes:")


def head(words: Words) -> re.Pattern[str] | None:
    """The line with the version, which stands in the table's frame."""
    other = any(word in ("-q", "-L") or word.startswith(("--query", "--list")) for word in words)
    return None if other else _DRIVER


def read(reading: Reading) -> Iterator[Sighting]:
    """The two rows of each GPU. Whoever picks rows may tear them apart, so the table must be in one piece."""
    if reading.shape < Shape.PIECE:
        return
    listed: set[str] = set()
    lines = reading.lines
    for line, next_line in zip_longest(lines, lines[1:], fillvalue=""):
        if match := _DRIVER.match(line):
            yield reading.saw(reading.host, "driver", match[1], State.OK)
            listed = set()
        elif match := _ADDRESS.match(line):
            gpu = reading.site.gpu_at(reading.host, match[1])
            if gpu:
                listed.add(gpu)
                yield reading.saw(gpu, "nvidia-smi", "listed", State.OK)
                yield from _values(reading, gpu, next_line)
        elif _END.match(line) and listed and reading.whole and not reading.has_option("-i", "--id"):
            yield from missing(reading, listed)


def _values(reading: Reading, gpu: str, line: str) -> Iterator[Sighting]:
    match = _VALUES.match(line)
    if match is None:
        return
    if match[1]:
        yield reading.saw(gpu, "temperature", f"{match[1]} C")
    yield reading.saw(gpu, "power", f"{match[2]} of {match[3]}".replace("W", " W"))
    yield reading.saw(gpu, "memory used", f"{match[4]} of {match[5]} MiB")
    if match[6]:
        yield reading.saw(gpu, "utilization", f"{match[6]} %")

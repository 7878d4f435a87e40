"""nvidia-smi -q: temperatures, clocks and what holds them back, in a block for each GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading, blocks
from tui.seen.shell_words import Words

COMMANDS = ("nvidia-smi",)

_HEAD = re.compile("=+NVSMI LOG=+$")
_DRIVER = re.compile(r"Driver Version +: (\S+)$", re.MULTILINE)
_GPU = re.compile(r"GPU ([0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-7])$")
_ENTRY = re.compile(r" +(\S.*?) +: (.+)$")
_VALUES = {
    "GPU Current Temp": "temperature",
    "Memory Current Temp": "memory temperature",
    "Serial Number": "serial number",
}
_ALARMS = {
    "HW Slowdown": "HW slowdown", "HW Thermal Slowdown": "HW thermal slowdown",
    "HW Power Brake Slowdown": "HW power brake", "SW Thermal Slowdown": "SW thermal slowdown",
}  # fmt: skip
_RECOVERY = "GPU Recovery Action"


def head(words: Words) -> re.Pattern[str] | None:
    """The line above the report."""
    return _HEAD if _asked(words) else None


def _asked(words: Words) -> bool:
    return any(word in ("-q", "--query") for word in words)


def read(reading: Reading) -> Iterator[Sighting]:
    """The entries that say what they mean without the headings above them."""
    if not (_asked(reading.words) and reading.only):
        return  # entries of another report, cut down to some lines, would stand under the last GPU
    if match := _DRIVER.search(reading.text):
        yield reading.saw(reading.host, "driver", match[1], State.OK)
    expected = 1 if reading.has_option("-i", "--id") else len(reading.site.gpus(reading.host))
    for block in blocks(reading, _GPU, expected):
        gpu = reading.site.gpu_at(reading.host, block.name)
        if gpu:
            yield reading.saw(gpu, "nvidia-smi", "listed", State.OK)
            for line in block.lines:
                if match := _ENTRY.match(line):
                    yield from _entry(reading, gpu, match[1], match[2])


def _entry(reading: Reading, gpu: str, name: str, value: str) -> Iterator[Sighting]:
    if name in _VALUES and value != "N/A":
        yield reading.saw(gpu, _VALUES[name], value)
    elif name in _ALARMS and value in ("Active", "Not Active"):
        yield reading.saw(gpu, _ALARMS[name], value, State.DEGRADED if value == "Active" else State.OK)
    elif name == _RECOVERY:
        yield reading.saw(gpu, "recovery action", value, State.OK if value == "None" else State.DEGRADED)

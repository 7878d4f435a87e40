"""nvidia-smi --query-gpu: rows of comma-separated values, the columns of which stand in the line that was typed.

nvidia-smi numbers the GPUs that the driver holds, so a number names a GPU only where none is missing: then the highest
number is there. Addresses and UUIDs always do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading
from tui.seen.shell_words import Words

COMMANDS = ("nvidia-smi",)

_REASONS = {
    "hw_slowdown": "HW slowdown", "hw_thermal_slowdown": "HW thermal slowdown",
    "hw_power_brake_slowdown": "HW power brake", "sw_thermal_slowdown": "SW thermal slowdown",
}  # fmt: skip
_VALUES = {
    "temperature.gpu": ("temperature", "C"), "temperature.memory": ("memory temperature", "C"),
    "power.draw": ("power", "W"), "power.draw.instant": ("power", "W"), "power.limit": ("power limit", "W"),
    "utilization.gpu": ("utilization", "%"), "memory.used": ("memory used", "MiB"), "pstate": ("pstate", ""),
    "clocks.sm": ("SM clock", "MHz"), "clocks.current.sm": ("SM clock", "MHz"),
    "clocks.mem": ("memory clock", "MHz"), "clocks.current.memory": ("memory clock", "MHz"),
    "ecc.errors.uncorrected.volatile.total": ("uncorrected ECC errors", ""),
    "ecc.errors.corrected.volatile.total": ("corrected ECC errors", ""),
    "pcie.link.gen.current": ("PCIe generation", ""), "pcie.link.width.current": ("PCIe width", ""),
    "serial": ("serial number", ""), "gpu_serial": ("serial number", ""),
}  # fmt: skip
_ALARMS = {
    f"clocks_{word}_reasons.{name}": (title, "Not Active", "Active")
    for word in ("event", "throttle")
    for name, title in _REASONS.items()
} | {
    "remapped_rows.pending": ("row remap pending", "No", "Yes"),
    "remapped_rows.failure": ("row remap failure", "No", "Yes"),
}
_INDEX, _ADDRESS, _UUID = ("index",), ("pci.bus_id", "gpu_bus_id"), ("uuid", "gpu_uuid")
_NAMES = (*_INDEX, *_ADDRESS, *_UUID)
_TITLES = {"gpu_bus_id": "pci.bus_id", "gpu_uuid": "uuid"}

Row = Mapping[str, str]


def head(words: Words) -> re.Pattern[str] | None:
    """The heading: names, with units behind some of them."""
    fields = _fields(words)
    return re.compile(f"{', '.join(map(_title, fields))}$") if fields and "noheader" not in " ".join(words) else None


def _title(field: str) -> str:
    return re.escape(_TITLES.get(field, field)) if field in _NAMES else r"[a-z][\w.]*(?: \[[\w/%]+\])?"


def read(reading: Reading) -> Iterator[Sighting]:
    """Each row that can be told to be a certain GPU's."""
    fields = _fields(reading.words)
    if not fields or not reading.only:
        return
    rows = list(_rows(reading, fields))
    highest = len(reading.site.gpus(reading.host)) - 1
    numbers = [_first(row, _INDEX) for row in rows]
    numbered = str(highest) in numbers and len(set(numbers)) == len(numbers)
    for row in rows:
        gpu = _gpu(reading, row, numbered)
        if gpu:
            yield reading.saw(reading.host, "driver", "answers", State.OK)
            yield reading.saw(gpu, "nvidia-smi", "listed", State.OK)
            yield from _sightings(reading, gpu, row)


def _fields(words: Words) -> tuple[str, ...]:
    texts = [word.partition("=")[2] for word in words if word.startswith("--query-gpu=")]
    csv = any(word.startswith("--format=") and "csv" in word for word in words)
    return tuple(text.strip() for text in texts[0].split(",")) if len(texts) == 1 and csv else ()


def _rows(reading: Reading, fields: tuple[str, ...]) -> Iterator[Row]:
    """Lines of as many values. A heading names no GPU and drops out later."""
    for line in reading.lines:
        values = [value.strip() for value in line.split(",")]
        if len(values) == len(fields):
            yield dict(zip(fields, values, strict=True))


def _first(row: Row, names: tuple[str, ...]) -> str | None:
    return next((row[name] for name in names if name in row), None)


def _gpu(reading: Reading, row: Row, numbered: bool) -> str | None:
    address, uuid, index = (_first(row, names) for names in (_ADDRESS, _UUID, _INDEX))
    if address is not None:
        return reading.site.gpu_at(reading.host, address)
    if uuid is not None:
        return reading.site.gpu_by_uuid(reading.host, uuid)
    gpus = reading.site.gpus(reading.host)
    if numbered and index and index.isdecimal() and int(index) < len(gpus):
        return gpus[int(index)]
    return None


def _sightings(reading: Reading, gpu: str, row: Row) -> Iterator[Sighting]:
    for field, value in row.items():
        if value.startswith("[") or value in ("N/A", "ERR!"):
            continue
        if field in _VALUES:
            aspect, unit = _VALUES[field]
            yield reading.saw(gpu, aspect, value if value.endswith(unit) else f"{value} {unit}")
        elif field in _ALARMS:
            aspect, quiet, alarm = _ALARMS[field]
            if value in (quiet, alarm):
                yield reading.saw(gpu, aspect, value, State.DEGRADED if value == alarm else State.OK)
        elif field == "gpu_recovery_action":
            yield reading.saw(gpu, "recovery action", value, State.OK if value == "None" else State.DEGRADED)

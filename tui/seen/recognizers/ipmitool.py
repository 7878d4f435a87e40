"""ipmitool: sensors, the event log and the power of a chassis, as its BMC tells them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tui.look.glyphs import State
from tui.seen.knowledge import Sighting
from tui.seen.reading import Reading

COMMANDS = ("ipmitool",)

_STATUS = {"ok": State.OK, "nc": State.DEGRADED, "cr": State.DEGRADED, "nr": State.DEGRADED, "lnc": State.DEGRADED,
           "lcr": State.DEGRADED, "lnr": State.DEGRADED, "unc": State.DEGRADED, "ucr": State.DEGRADED,
           "unr": State.DEGRADED, "ns": State.UNKNOWN, "na": State.UNKNOWN}  # fmt: skip
_STANDS_STILL = re.compile(r"0(\.0+)? RPM")
_SUPPLY = {"Failure detected": State.DOWN, "AC lost": State.DOWN, "Presence detected": State.OK}
_POWER = re.compile(r"Chassis Power is (on|off)")
_EVENT = re.compile(r"\s*[0-9a-f]+ \| [^|]+ \| [^|]+ \| (?:Fan|Temperature|Power Supply) (\w+) \| ([^|]+?)\s*\| (\w+)")

_SENSORS: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"SPD_FAN_SYS(\d+)_F"), "fan{0}", "front rotor"),
    (re.compile(r"SPD_FAN_SYS(\d+)_R"), "fan{0}", "rear rotor"),
    (re.compile(r"PWR_PSU(\d+)"), "psu{0}", "power"),
    (re.compile(r"STATUS_PSU(\d+)"), "psu{0}", "status"),
    (re.compile(r"TEMP_GPU_SXM_(\d+)"), "", "BMC temperature"),
    (re.compile(r"TEMP_AMBIENT|Inlet Temp"), "", "inlet temperature"),
    (re.compile(r"PWR_SYSTEM|System Power"), "", "power draw"),
)
"""Names of sensors, the part they belong to (where that is not a GPU or the node), and what they are called here."""


def read(reading: Reading) -> Iterator[Sighting]:
    """Lines that name a sensor, whichever way they are laid out."""
    node = _node(reading)
    if node is None:
        return
    for line in reading.lines:
        if match := _POWER.fullmatch(line):
            yield reading.saw(node, "chassis power", match[1], State.OK if match[1] == "on" else State.DOWN)
        elif match := _EVENT.match(line):
            part, aspect = _meant(reading, node, match[1]) or (node, match[1])
            yield reading.saw(part, f"event log: {aspect}", f"{match[2]}, {match[3]}", logged=True)
        elif (told := _sensor(line)) and (meant := _meant(reading, node, told[0])):
            yield reading.saw(*meant, told[1], _looks(meant[1], told[1], told[2]))


def _node(reading: Reading) -> str | None:
    """The node whose BMC was asked: the host's own, or that of `-H`."""
    words = reading.words
    if "-H" in words[:-1]:
        return reading.site.node_of_bmc(words[words.index("-H") + 1])
    return None if any(word.startswith("-H") for word in words) else reading.host


def _sensor(line: str) -> tuple[str, str, State] | None:
    """Name, value and status of a line of sdr (3 columns), sdr elist (5) or sensor (10)."""
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) == len(("name", "value", "status")):
        name, value, status = cells
    elif len(cells) == len(("name", "number", "status", "entity", "value")):
        name, _, status, _, value = cells
    elif len(cells) == len(("name", "value", "unit", "status")) + 6:
        name, value, unit, status = cells[:4]
        value = f"{value.removesuffix('.000')} {unit}"
    else:
        return None
    return (name, value, _STATUS[status]) if status in _STATUS else None


def _looks(aspect: str, value: str, status: State) -> State:
    """What a reading says of its part: a fan that stands still below a limit is down, a temperature within its limits
    says nothing. A discrete sensor is always `ok`; what it reads counts.
    """
    if aspect == "status":
        return next((state for words, state in _SUPPLY.items() if words in value), State.UNKNOWN)
    if status is State.DEGRADED:
        return State.DOWN if _STANDS_STILL.fullmatch(value) else status
    return status if aspect.endswith("rotor") else State.UNKNOWN


def _meant(reading: Reading, node: str, sensor: str) -> tuple[str, str] | None:
    """The component and the aspect that a sensor tells of."""
    for pattern, part, aspect in _SENSORS:
        match = pattern.fullmatch(sensor)
        if match is None:
            continue
        if aspect == "BMC temperature":
            gpu = reading.site.gpu_by_module(node, int(match[1]))
            return (gpu, aspect) if gpu else None
        if not part:
            return node, aspect
        name = part.format(*match.groups())
        return (f"{node}/{name}", aspect) if reading.site.has_part(node, name) else None
    return None

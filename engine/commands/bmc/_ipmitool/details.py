"""A sensor at length, as `sdr get`, `sensor get` and `sel get` show it (ipmi_sdr.c and ipmi_sensor.c of ipmitool
1.8.19).

What the BMC answers beyond reading, limits and states is the plainest: no tolerance, hysteresis or range is stated,
every limit gives events when it is passed and when that ends, every state gives events when it comes.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.bmc._ipmitool.records import Limit, Record
from engine.commands.bmc._ipmitool.session import decimal, short

_INDENT = " " * 25
_STATES = {"nr": "Non-Recoverable", "cr": "Critical", "nc": "Non-Critical"}
_SIDES = {"l": "Lower", "u": "Upper"}
_RISING = ("lnr", "lcr", "lnc", "unc", "ucr", "unr")
_SEVEREST = ("unr", "ucr", "unc", "lnr", "lcr", "lnc")
_EVENTS = ("lnc", "lcr", "lnr", "unc", "ucr", "unr")


def threshold_details(record: Record) -> Iterator[str]:
    """A sensor with limits, from the repository."""
    yield f"Sensor ID              : {record.name} (0x{record.number:x})"
    yield f" Entity ID             : {record.entity} ({record.entity_name})"
    yield f" Sensor Type (Threshold)  : {record.type_name} (0x{record.code:02x})"
    yield f" Sensor Reading        : {_reading(record)}"
    yield f" Status                : {state_words(record)}"
    for limit in _ordered(record, _SEVEREST):
        side, level = limit.long.split()
        yield f" {f'{side} {level.lower()}':<21} : {decimal(limit.value, 3)}"
    yield from hysteresis()
    yield " Minimum sensor range  : Unspecified"
    yield " Maximum sensor range  : Unspecified"
    yield " Event Message Control : Per-threshold"
    names = "".join(f"{limit.short} " for limit in _ordered(record, _RISING))
    for title in ("Readable Thresholds", "Settable Thresholds", "Threshold Read Mask"):
        if names or title != "Threshold Read Mask":
            yield f" {title:<21} : {names}"
    yield from threshold_events(record)
    yield ""


def discrete_details(record: Record) -> Iterator[str]:
    """A sensor with states, from the repository."""
    yield f"Sensor ID              : {record.name} (0x{record.number:x})"
    yield f" Entity ID             : {record.entity} ({record.entity_name})"
    yield f" Sensor Type (Discrete): {record.type_name} (0x{record.code:02x})"
    yield f" Sensor Reading        : {'0h' if record.readable else 'No Reading'}"
    yield " Event Message Control : Per-threshold"
    yield from states(record, "States Asserted")
    if record.readable:
        yield from states(record, "Assertion Events")
    else:
        yield " Event Status          : Unavailable"
    yield from _state_lines(record, "Assertions Enabled", record.event.texts)
    yield " OEM                   : 0"
    yield ""


def states(record: Record, title: str) -> Iterator[str]:
    """The states that are asserted, under a title; nothing if there is none."""
    yield from _state_lines(record, title, [text for text in record.event.texts if text in record.states])


def hysteresis() -> Iterator[str]:
    """How far a reading has to go back before an event ends."""
    yield " Positive Hysteresis   : Unspecified"
    yield " Negative Hysteresis   : Unspecified"


def threshold_events(record: Record) -> Iterator[str]:
    """Events that are asserted, and those that are enabled."""
    limits = _ordered(record, _EVENTS)
    if record.readable:
        beyond = "".join(f"{limit.event} " for limit in limits if limit.short in record.beyond)
        yield f" Assertion Events      : {beyond}"
    else:
        yield " Event Status          : Unavailable"
    enabled = "".join(f"{limit.event} " for limit in limits)
    yield f" Assertions Enabled    : {enabled}"
    if enabled:
        yield f" Deassertions Enabled  : {enabled}"


def _reading(record: Record) -> str:
    return "No Reading" if record.value is None else f"{short(record.value, 3)} (+/- 0) {record.unit}"


def state_words(record: Record) -> str:
    """How the reading stands to its limits, in words."""
    if not record.readable:
        return "Not Available"
    for level, name in _STATES.items():
        for short_name in record.beyond:
            if short_name.endswith(level):
                return f"{_SIDES[short_name[0]]} {name}"
    return "ok"


def _ordered(record: Record, order: tuple[str, ...]) -> list[Limit]:
    return sorted(record.limits, key=lambda limit: order.index(limit.short))


def _state_lines(record: Record, title: str, texts: list[str] | tuple[str, ...]) -> Iterator[str]:
    if texts:
        yield f" {title:<21} : {record.type_name}"
        yield from (f"{_INDENT}[{text}]" for text in texts)

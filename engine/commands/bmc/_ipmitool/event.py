"""An entry of the event log as a record of 16 bytes has it.

The bytes are made from what the log holds: event data are the offset and, for a limit that was passed, reading and
limit as the sensor's own bytes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from engine.commands.bmc._ipmitool.events import EventType, event_type, sensor_type
from engine.commands.bmc._ipmitool.records import Record, by_name
from engine.commands.bmc._ipmitool.session import Session, short
from engine.control.bmc import sensor_number
from engine.world.records import SelEntry

_DETAIL = re.compile(r"Reading (-?[\d.]+) . Threshold (-?[\d.]+) (.*)")


@dataclass(frozen=True)
class Event:
    """An entry of the log with its number, as the bytes of its record tell it."""

    session: Session
    number: int
    entry: SelEntry

    @cached_property
    def type(self) -> EventType:
        return event_type(self.entry.sensor_type, self.entry.event)

    @cached_property
    def offset(self) -> int:
        """Which of its type's events it is; 15 for one that has no number."""
        return self.type.texts.index(self.entry.event) if self.entry.event in self.type.texts else 0xF

    @cached_property
    def record(self) -> Record | None:
        """The sensor's record in the repository."""
        record = by_name(self.session, self.entry.sensor)
        return record if record and record.code == sensor_type(self.entry.sensor_type) else None

    @cached_property
    def sensor_number(self) -> int:
        return sensor_number(self.session.world, self.session.host, self.entry.sensor)

    @cached_property
    def threshold(self) -> tuple[int, int, str] | None:
        """Reading and limit in thousandths, and the unit."""
        match = _DETAIL.fullmatch(self.entry.detail)
        return (_thousandths(match[1]), _thousandths(match[2]), match[3]) if match else None

    @property
    def data(self) -> tuple[int, int, int]:
        """The record's three bytes of event data."""
        if self.threshold and self.record:
            reading, limit, _ = self.threshold
            return 0x50 | self.offset, self.record.raw(reading), self.record.raw(limit)
        return self.offset, 0xFF, 0xFF

    @property
    def direction(self) -> str:
        return "Asserted" if self.entry.asserted else "Deasserted"

    @property
    def comparison(self) -> str:
        """What a threshold event says of its reading; since 1.8.19 the sign turns when the event ends."""
        if self.threshold is None or self.record is None:
            return ""
        reading, limit, unit = self.threshold
        high = self.entry.event.endswith("going high")
        if self.session.modern and not self.entry.asserted:
            high = not high
        return f"Reading {short(reading, 2)} {'>' if high else '<'} Threshold {short(limit, 2)} {unit}"


def _thousandths(text: str) -> int:
    whole, _, rest = text.partition(".")
    sign = -1 if whole.startswith("-") else 1
    return int(whole) * 1000 + sign * int(f"{rest:0<3}"[:3])

"""The sensor data repository (SDR): the records of a BMC's sensors, with readings and states as of now.

Sensors with a unit have full records, those with states compact ones; what only writes events has an event-only record
and comes last.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from engine.commands.bmc._ipmitool.events import ENTITIES, EventType, event_type, sensor_type, type_name
from engine.commands.bmc._ipmitool.session import Session
from engine.control.bmc import FIRMWARE_SENSORS, Sensor
from engine.control.sensors import Thresholds, violations

FIRMWARE_ENTITY = "34.1"


class RecordType(Enum):
    """Types of SDR records, by the words of `sdr list`."""

    FULL = "full"
    COMPACT = "compact"
    EVENT = "event"
    MANAGEMENT = "mcloc"
    FRU = "fru"
    GENERIC = "generic"


@dataclass(frozen=True, slots=True)
class Limit:
    """A threshold: its name in short and in long, and its value."""

    short: str
    long: str
    value: int

    @property
    def event(self) -> str:
        """The event of going beyond it."""
        return self.short + ("-" if self.short.startswith("l") else "+")


@dataclass(frozen=True, slots=True)
class Record:
    """A record of the repository."""

    type: RecordType
    number: int
    name: str
    kind: str
    entity: str
    event: EventType
    unit: str = ""
    value: int | None = None
    readable: bool = True
    states: tuple[str, ...] = ()
    limits: tuple[Limit, ...] = ()
    beyond: tuple[str, ...] = ()

    @property
    def code(self) -> int:
        """The number of its type of sensor."""
        return sensor_type(self.kind)

    @property
    def type_name(self) -> str:
        return type_name(self.kind)

    @property
    def mask(self) -> int:
        """The bits of its states."""
        return self.event.mask(list(self.states))

    @property
    def is_threshold(self) -> bool:
        return self.type is RecordType.FULL

    @property
    def entity_name(self) -> str:
        number = int(self.entity.partition(".")[0])
        return ENTITIES.get(number, f"Unknown (0x{number:02X})")

    @property
    def factor(self) -> int:
        """Thousandths of the unit that one step of the 8-bit reading stands for: the finest that reaches the limits."""
        most = max((abs(value) for value in (self.value, *(limit.value for limit in self.limits)) if value), default=1)
        step: int = next(step for step in _STEPS if most <= 255 * step)
        return step

    def raw(self, value: int) -> int:
        """A reading as the byte that the sensor gives."""
        return (value + self.factor // 2) // self.factor & 0xFF


_STEPS = tuple(digit * 10**power for power in range(9) for digit in (1, 2, 5))
_LIMITS = (
    ("lnr", "Lower Non-Recoverable", "lower_nr"),
    ("lcr", "Lower Critical", "lower_cr"),
    ("lnc", "Lower Non-Critical", "lower_nc"),
    ("unc", "Upper Non-Critical", "upper_nc"),
    ("ucr", "Upper Critical", "upper_cr"),
    ("unr", "Upper Non-Recoverable", "upper_nr"),
)  # fmt: skip


def records(session: Session) -> list[Record]:
    """Every record, in the repository's order."""
    return [*map(_record, session.sensors), *_firmware()]


def by_name(session: Session, name: str) -> Record | None:
    """The record with this name."""
    return next((record for record in records(session) if record.name == name), None)


def _record(sensor: Sensor) -> Record:
    if not sensor.unit:
        return _discrete(sensor)
    limits = tuple(_limits(sensor.thresholds))
    beyond = tuple(_short(event) for event, _ in violations(sensor))
    event = event_type(sensor.kind, "Lower Critical going low ")
    return Record(
        RecordType.FULL, sensor.number, sensor.name, sensor.kind, sensor.entity, event, sensor.unit, sensor.value,
        sensor.value is not None, limits=limits, beyond=beyond,
    )  # fmt: skip


def _discrete(sensor: Sensor) -> Record:
    states = tuple(filter(None, sensor.state.split(", ")))
    event = event_type(sensor.kind, states[0] if states else "")
    readable = sensor.status != "ns"
    return Record(
        RecordType.COMPACT, sensor.number, sensor.name, sensor.kind, sensor.entity, event, readable=readable,
        states=states,
    )  # fmt: skip


def _limits(thresholds: Thresholds) -> Iterator[Limit]:
    for short, long, name in _LIMITS:
        value = getattr(thresholds, name)
        if value is not None:
            yield Limit(short, long, value)


def _short(event: str) -> str:
    """ucr of "Upper Critical going high"."""
    side, level, *_ = event.split()
    return side[0].lower() + {"Non-critical": "nc", "Critical": "cr", "Non-recoverable": "nr"}[level]


def _firmware() -> Iterator[Record]:
    for name, (number, kind) in FIRMWARE_SENSORS.items():
        yield Record(RecordType.EVENT, number, name, kind, FIRMWARE_ENTITY, event_type(kind, ""), readable=False)

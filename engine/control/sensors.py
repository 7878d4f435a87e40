"""The readings of a BMC's sensors, and which limits they are beyond.

What sensors there are is engine.control.sensor_kinds' to say. Readings are in thousandths of the unit.
"""

from __future__ import annotations

from engine.control.sensor_kinds import Moment, Reading, SensorKind, State, Thresholds, sensor_kinds
from engine.kernel.quick_dataclass import dataclass
from engine.world.world import World

__all__ = ["Sensor", "Thresholds", "noteworthy", "sensors", "violations"]

_NO_LIMITS = Thresholds()


@dataclass(frozen=True, slots=True)
class Sensor:
    """A sensor: number, name, type (as in the SEL), entity; a reading with unit and thresholds, or (`unit` "") a
    discrete state.

    `status` is ok, nc, cr, nr, or ns for no reading.
    """

    number: int
    name: str
    kind: str
    entity: str
    unit: str
    value: int | None
    status: str
    thresholds: Thresholds = _NO_LIMITS
    state: str = ""
    raw: int = 0


_FIRST_NUMBER = 0x10
_LOWER = (("Non-critical", "lower_nc"), ("Critical", "lower_cr"), ("Non-recoverable", "lower_nr"))
_UPPER = (("Non-critical", "upper_nc"), ("Critical", "upper_cr"), ("Non-recoverable", "upper_nr"))
_STATUS = {"Non-critical": "nc", "Critical": "cr", "Non-recoverable": "nr"}


def sensors(world: World, host: str, now: int) -> list[Sensor]:
    """Every sensor of a node's BMC, in the order of the SDR."""
    moment = Moment(world, world.node(host), now)
    kinds = sensor_kinds(world, moment.node)
    return [_sensor(number, kind, kind.read(moment)) for number, kind in enumerate(kinds, _FIRST_NUMBER)]


def noteworthy(world: World, host: str, now: int, told: frozenset[str]) -> list[Sensor]:
    """The sensors with a reading that are beyond a limit, or of which the log has told something (by name)."""
    moment, found = Moment(world, world.node(host), now), []
    for number, kind in enumerate(sensor_kinds(world, moment.node), _FIRST_NUMBER):
        if not kind.unit or (kind.calm(moment) and kind.name not in told):
            continue
        reading = kind.read(moment)
        if isinstance(reading, int) and (kind.name in told or not kind.above < reading < kind.below):
            found.append(_sensor(number, kind, reading))
    return found


def violations(sensor: Sensor) -> list[tuple[str, int]]:
    """(event, threshold) of every limit that a reading is beyond, mildest first."""
    return [] if sensor.value is None else _beyond(sensor.thresholds, sensor.value)


def _beyond(limits: Thresholds, value: int) -> list[tuple[str, int]]:
    found = []
    for severity, field in _LOWER:
        limit = getattr(limits, field)
        if limit is not None and value <= limit:
            found.append((f"Lower {severity} going low ", limit))
    for severity, field in _UPPER:
        limit = getattr(limits, field)
        if limit is not None and value >= limit:
            found.append((f"Upper {severity} going high", limit))
    return found


def _sensor(number: int, kind: SensorKind, reading: Reading) -> Sensor:
    state = reading if isinstance(reading, State) else State(None, 0)
    value = reading if isinstance(reading, int) else None
    if value is not None:
        beyond = _beyond(kind.thresholds, value)
        status = _STATUS[beyond[-1][0].split()[1]] if beyond else "ok"
    else:
        status = "ns" if state.text is None else "ok"
    said = state.text or ""
    return Sensor(number, kind.name, kind.kind, kind.entity, kind.unit, value, status, kind.thresholds, said, state.raw)

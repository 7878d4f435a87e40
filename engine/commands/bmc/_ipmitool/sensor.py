"""`ipmitool sensor`: readings with all six limits (ipmi_sensor.c of 1.8.19)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.commands.bmc._ipmitool.details import hysteresis, state_words, states, threshold_events
from engine.commands.bmc._ipmitool.records import Record, RecordType, by_name, records
from engine.commands.bmc._ipmitool.sdr import event_only_details, shown_byte, status
from engine.commands.bmc._ipmitool.session import Session, decimal, short

_LIMITS = ("lnr", "lcr", "lnc", "unc", "ucr", "unr")
_GET_USAGE = "sensor get <id> ... [id]\n   id        : name of desired sensor"
_READING_USAGE = _GET_USAGE.replace("get", "reading")


def sensor(session: Session, arguments: Sequence[str]) -> int:
    """The command."""
    word, *rest = arguments or ("list",)
    if word == "list":
        for record in records(session):
            if record.type is not RecordType.EVENT:
                _show(session, record)
        return 0
    if word == "get":
        return _get(session, rest)
    if word == "reading":
        return _readings(session, rest)
    if word == "help":
        session.context.error("Sensor Commands:  list thresh get reading")
        return 0
    if word == "thresh":
        return session.context.not_modelled("ipmitool sensor thresh")
    raise session.refuse(f"Invalid sensor command: {word}")


def details(record: Record) -> Iterator[str]:
    """A sensor at length."""
    yield f"Sensor ID              : {record.name} (0x{record.number:x})"
    yield f" Entity ID             : {record.entity}"
    yield from _threshold(record) if record.is_threshold else _discrete(record)


def _show(session: Session, record: Record) -> None:
    if session.csv:
        session.line(_csv(record))
    elif session.verbose:
        for line in details(record):
            session.line(line)
    else:
        session.line(_row(session, record))


def _get(session: Session, names: Sequence[str]) -> int:
    if not names:
        session.context.error("Not enough parameters given.")
        raise session.refuse(_GET_USAGE)
    if names[0] == "help":
        session.context.error(_GET_USAGE)
        return 0
    session.line("Locating sensor record...")
    failed = False
    for name in names:
        record = by_name(session, name)
        if record is None:
            session.context.error(f'Sensor data record "{name}" not found!')
        else:
            for line in _found(session, record):
                session.line(line)
        failed |= record is None or not (record.readable or record.type is RecordType.EVENT)
    return int(failed)


def _found(session: Session, record: Record) -> list[str]:
    if record.type is RecordType.EVENT:
        return event_only_details(record)
    return [_csv(record)] if session.csv else list(details(record))


def _readings(session: Session, names: Sequence[str]) -> int:
    if not names or names[0] == "help":
        raise session.refuse(_READING_USAGE)
    failed = False
    for name in names:
        record = by_name(session, name)
        if record is None:
            session.context.error(f'Sensor "{name}" not found!')
            failed = True
        elif record.value is not None:
            value = short(record.value, 3)
            session.line(f"{name},{value}" if session.csv else f"{name:<16} | {value}")
    return int(failed)


def _row(session: Session, record: Record) -> str:
    start = f"{record.name:<16} "
    if not record.is_threshold:
        middle = f"| {'na':<10} | {'discrete':<10} | {'na':<6}"
        if record.readable:
            middle = f"| 0x{shown_byte(session, record):<8x} | {'discrete':<10} | {_states(record)}"
        return start + middle + "| na        " * len(_LIMITS)
    value, state = ("na", "na") if record.value is None else (decimal(record.value, 3), status(record))
    return start + f"| {value:<10} | {record.unit:<10} | {state:<6}" + "".join(f"| {v:<10}" for v in _limits(record))


def _csv(record: Record) -> str:
    if not record.is_threshold:
        middle = ("0x0", "discrete", _states(record)) if record.readable else ("na", "discrete", "na")
        return ",".join((record.name, *middle, *("na" for _ in _LIMITS)))
    value, state = ("na", "na") if record.value is None else (decimal(record.value, 3), status(record))
    return ",".join((record.name, value, record.unit, state, *_limits(record)))


def _limits(record: Record) -> list[str]:
    values = {limit.short: decimal(limit.value, 3) for limit in record.limits}
    return [values.get(name, "na") for name in _LIMITS]


def _states(record: Record) -> str:
    """The two bytes of states; the highest bit is always set."""
    return f"0x{record.mask & 0xFF:02x}{record.mask >> 8 & 0x7F | 0x80:02x}"


def _threshold(record: Record) -> Iterator[str]:
    yield f" Sensor Type (Threshold)  : {record.type_name}"
    if record.value is None:
        yield " Sensor Reading        :  Unable to read sensor: Device Not Present"
        yield ""
    else:
        yield f" Sensor Reading        : {short(record.value, 3)} (+/- 0) {record.unit}"
        yield f" Status                : {state_words(record)}"
        values = {limit.short: decimal(limit.value, 3) for limit in record.limits}
        for name, title in zip(_LIMITS, _TITLES, strict=True):
            yield f" {title:<21} : {values.get(name, 'na')}"
        yield from hysteresis()
    yield from threshold_events(record)
    yield ""


_TITLES = (
    "Lower Non-Recoverable", "Lower Critical", "Lower Non-Critical", "Upper Non-Critical", "Upper Critical",
    "Upper Non-Recoverable",
)  # fmt: skip


def _discrete(record: Record) -> Iterator[str]:
    yield f" Sensor Type (Discrete): {record.type_name}"
    if record.readable:
        yield from states(record, "States Asserted")
    else:
        yield " Unable to read sensor: Device Not Present"
    yield ""

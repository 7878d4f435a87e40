"""`ipmitool sel`: the system event log (ipmi_sel.c of 1.8.19).

`list` names a sensor by type and number, `elist` by type and name, with reading and limit of a threshold event.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.bmc._ipmitool import sensor as sensor_command
from engine.commands.bmc._ipmitool.event import Event
from engine.commands.bmc._ipmitool.events import THRESHOLD, sensor_type, type_name
from engine.commands.bmc._ipmitool.records import RecordType
from engine.commands.bmc._ipmitool.sdr import event_only_details
from engine.commands.bmc._ipmitool.session import Session, decimal, integer
from engine.control.bmc import CAPACITY, ClearSel, SetSelTime, clock
from engine.hostfs.tree import FileError

_HELP = "SEL Commands:  info clear delete list elist get add time save readraw writeraw interpret"
_ELSEWHERE = ("add", "delete", "interpret", "readraw", "ereadraw", "writeraw")
_ENTRY_BYTES = 16
_NOT_FOUND = "Requested sensor, data, or record not found"


def sel(session: Session, arguments: Sequence[str]) -> int:
    """The command."""
    word, *rest = arguments or ("info",)
    simple = {"info": _info, "clear": _clear}
    with_rest = {"get": _get, "time": _time, "save": _save}
    if word in simple:
        return simple[word](session)
    if word in with_rest:
        return with_rest[word](session, rest)
    if word in ("list", "elist"):
        _list(session, _chosen(session, rest), extended=word == "elist")
        return 0
    if word == "delete" and not rest:
        session.context.error("usage: sel delete <id>...<id>")
        return 0
    if word in _ELSEWHERE:
        return session.context.not_modelled(f"ipmitool sel {word}")
    if word == "help":
        session.context.error(_HELP)
        return 0
    raise session.refuse(f"Invalid SEL command: {word}")


def _events(session: Session) -> list[Event]:
    return [Event(session, number, entry) for number, entry in enumerate(session.entries, 1)]


def _chosen(session: Session, rest: Sequence[str]) -> list[Event]:
    """The events that `list`, `list N`, `list first N` and `list last N` mean."""
    events = _events(session)
    if len(rest) not in (1, 2):
        return events
    if len(rest) == 2 and rest[0] not in ("first", "last"):
        raise session.refuse("Unknown sel list option")
    count = integer(rest[-1])
    if count is None:
        raise session.refuse(f"Numeric argument required; got '{rest[-1]}'")
    if len(rest) == 2 and rest[0] == "last":
        count = -count
    if not count:
        return events
    return events[:count] if count > 0 else events[count:]


def _list(session: Session, events: Sequence[Event], *, extended: bool) -> None:
    if not session.entries:
        session.context.error("SEL has no entries")
    for event in events:
        if session.verbose:
            _verbose(session, event)
        else:
            session.line(_line(session, event, extended))


def _line(session: Session, event: Event, extended: bool) -> str:
    entry = event.entry
    kind = type_name(entry.sensor_type)
    named = extended and event.record is not None
    cells = [
        f"{event.number:x}" if session.csv else f"{event.number:4x}",
        session.date(entry.time),
        session.clock(entry.time),
        f"{kind} {entry.sensor}" if named else f"{kind} #0x{event.sensor_number:02x}",
        entry.event,
        event.direction,
    ]
    if named and event.comparison:
        cells.append(event.comparison)
    return ("," if session.csv else " | ").join(cells)


def _verbose(session: Session, event: Event) -> None:
    for line in _head(session, event):
        session.line(line)
    session.line(f" Event Data            : {bytes(event.data).hex()}")
    session.line(f" Description           : {event.entry.event}")
    session.line()


def _head(session: Session, event: Event) -> list[str]:
    return [
        f"SEL Record ID          : {event.number:04x}",
        " Record Type           : 02",
        f" Timestamp             : {_stamp(session, event.entry.time)}",
        " Generator ID          : 0020",
        " EvM Revision          : 04",
        f" Sensor Type           : {type_name(event.entry.sensor_type)}",
        f" Sensor Number         : {event.sensor_number:02x}",
        f" Event Type            : {event.type.name}",
        f" Event Direction       : {'Assertion Event' if event.entry.asserted else 'Deassertion Event'}",
    ]


def _stamp(session: Session, time: int) -> str:
    """When it was; 1.8.19 formats day and time of day in one place, and so shows the day twice."""
    return f"{session.date(time)} {session.date(time)}" if session.modern else session.moment(time)


def _get(session: Session, names: Sequence[str]) -> int:
    if not names or names[0] == "help":
        session.context.error("usage: sel get <entry>" if not names else "usage: sel get <id>...<id>")
        return int(bool(names))
    failed = False
    for position, name in enumerate(names, 1):
        event = _find(session, name)
        failed |= event is None
        if event:
            _at_length(session, event)
            if event.record and position < len(names):
                session.line("----------------------\n")
    return int(failed)


def _find(session: Session, name: str) -> Event | None:
    """The event with this number; 0 is the first, 0xffff the last."""
    number, events = integer(name), _events(session)
    if number is None or not 0 <= number <= 0xFFFF:
        session.context.error(f"Given SEL ID '{name}' is invalid.")
        return None
    number = {0: 1, 0xFFFF: len(events)}.get(number, number)
    if 1 <= number <= len(events):
        return events[number - 1]
    session.context.error(f"Get SEL Entry {number:x} command failed: {_NOT_FOUND}")
    return None


def _at_length(session: Session, event: Event) -> None:
    record = event.record
    if record is None:
        _verbose(session, event)
        return
    lines = [*_head(session, event), f" Event Data (RAW)      : {bytes(event.data).hex()}"]
    if event.type.code == THRESHOLD and event.threshold:
        reading, limit, unit = event.threshold
        lines.append(f" Trigger Reading       : {decimal(reading, 3)}{unit}")
        lines.append(f" Trigger Threshold     : {decimal(limit, 3)}{unit}")
    elif event.type.code != THRESHOLD and event.type.name != "Generic Discrete":
        lines.append(" Event Interpretation  : Missing")
    lines += [f" Description           : {event.entry.event}", ""]
    only = record.type is RecordType.EVENT
    lines += event_only_details(record) if only else sensor_command.details(record)
    for line in lines:
        session.line(line)


def _info(session: Session) -> int:
    entries = session.entries
    free = max(0, CAPACITY - len(entries)) * _ENTRY_BYTES
    used = len(entries) * _ENTRY_BYTES
    state = session.world.sel[session.host]
    cleared = state.cleared_at
    rows = (
        ("Version", "1.5 (v1.5, v2 compliant)"),
        ("Entries", str(len(entries))),
        ("Free Space", f"{free} bytes "),
        ("Percent Used", f"{100 * used // (used + free)}%"),
        ("Last Add Time", session.moment(entries[-1].time) if entries else "Not Available"),
        ("Last Del Time", session.moment(cleared) if cleared is not None else "Not Available"),
        ("Overflow", str(state.overflowed).lower()),
        ("Supported Cmds", "'Delete' 'Reserve' "),
    )
    session.line("SEL Information")
    for name, value in rows:
        session.line(f"{name:<17}: {value}")
    return 0


def _clear(session: Session) -> int:
    context = session.context
    context.simulation.apply(ClearSel(session.host, context.environment.get("SUDO_USER") or context.identity.name))
    session.line("Clearing SEL.  Please allow a few seconds to erase.")
    return 0


def _time(session: Session, rest: Sequence[str]) -> int:
    """The BMC's clock."""
    context, host = session.context, session.host
    if rest[:2] == ["set", "now"]:
        by = context.environment.get("SUDO_USER") or context.identity.name
        context.simulation.apply(SetSelTime(host, context.now, by))
    elif rest[:1] == ["set"]:
        return context.not_modelled("ipmitool sel time set with a time (now is)")
    if rest[:1] in (["get"], ["set"]):
        session.line(session.moment(clock(session.world, host, context.now)))
        return 0
    session.context.error("sel time commands: get set")
    return 0


def _save(session: Session, rest: Sequence[str]) -> int:
    """List the log and write its records as text."""
    context = session.context
    if not rest:
        context.error("usage: sel save <filename>")
        return 0
    events = _events(session)
    _list(session, events, extended=False)
    try:
        context.files.write(_path(context.directory, rest[0]), "".join(map(_text, events)).encode())
    except FileError as error:
        context.error(f"Unable to open file {rest[0]} for write: {error.text}")
    return 0


def _text(event: Event) -> str:
    entry, code = event.entry, event.type.code | (0 if event.entry.asserted else 0x80)
    numbers = (0x04, sensor_type(entry.sensor_type), event.sensor_number, code, *event.data)
    kind = type_name(entry.sensor_type)
    return f"{' '.join(f'0x{n:02x}' for n in numbers)} # {kind} #0x{event.sensor_number:02x} {entry.event}\n"


def _path(directory: str, name: str) -> str:
    return name if name.startswith("/") else f"{directory.rstrip('/')}/{name}"

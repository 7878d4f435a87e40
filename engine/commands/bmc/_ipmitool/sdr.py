"""`ipmitool sdr`: the sensors with their readings, in ipmitool's plain, extended (elist, type, entity), csv and verbose
forms (ipmi_sdr.c of 1.8.19).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.commands.bmc._ipmitool.details import discrete_details, state_words, threshold_details
from engine.commands.bmc._ipmitool.events import ENTITIES, SENSOR_TYPES
from engine.commands.bmc._ipmitool.records import Record, RecordType, by_name, records
from engine.commands.bmc._ipmitool.session import Session, decimal, integer, short

_ROOM = 15
"""Characters that a value has room for."""

_ELSEWHERE = ("dump", "fill")
_USAGE = "usage: sdr {0} [all|full|compact|event|mcloc|fru|generic]"


def sdr(session: Session, arguments: Sequence[str]) -> int:
    """The command."""
    word, *rest = arguments or ("list",)
    if word in ("list", "elist"):
        return _list(session, word, rest)
    if word == "type":
        return _type(session, rest[0] if rest else "list")
    if word == "entity":
        return _entity(session, rest[0] if rest else "list")
    if word == "get":
        return _get(session, rest)
    if word == "info":
        return _info(session)
    if word == "help":
        session.context.error("usage: sdr <list|elist|type|get|info|entity> [options]")
        return 0
    if word in _ELSEWHERE:
        return session.context.not_modelled(f"ipmitool sdr {word}")
    raise session.refuse(f"Invalid SDR command: {word}")


def status(record: Record, *, extended: bool = False, missing: str = "ns") -> str:
    """How the reading stands to its limits: ok, nc, cr, nr; extended with its side."""
    if not record.readable:
        return missing
    if not record.beyond:
        return "ok"
    worst = max(record.beyond, key=lambda name: (name.endswith("nr"), name.endswith("cr")))
    return worst if extended else worst[1:]


def shown_byte(session: Session, record: Record) -> int:
    """The byte that stands for a sensor with states: Debian's and Ubuntu's 1.8.19 show the states, others the reading,
    which such sensors do not have.
    """
    return record.mask & 0xFF if session.modern else 0


def show(session: Session, record: Record, *, extended: bool) -> None:
    """One record, in the form that is asked for."""
    if record.type is RecordType.EVENT:
        session.line(_event_only(session, record, extended))
    elif session.csv:
        session.line(_csv(session, record, extended=extended))
    elif session.verbose:
        for line in threshold_details(record) if record.is_threshold else discrete_details(record):
            session.line(line)
    else:
        session.line(_extended(record) if extended else _plain(session, record))


def _list(session: Session, word: str, rest: Sequence[str]) -> int:
    which = rest[0] if rest else ""
    types = {"": (RecordType.FULL, RecordType.COMPACT), "all": tuple(RecordType)}
    types |= {each.value: (each,) for each in RecordType}
    if which == "help":
        session.context.error(_USAGE.format(word))
        return 0
    if which not in types:
        session.context.error(f"Invalid SDR {word} command: {which}")
        raise session.refuse(_USAGE.format(word))
    _show_all(session, (record for record in records(session) if record.type in types[which]), word == "elist")
    return 0


def _show_all(session: Session, chosen: Iterable[Record], extended: bool) -> None:
    for record in chosen:
        show(session, record, extended=extended)


def _type(session: Session, wanted: str) -> int:
    if wanted.lower() in ("list", "help"):
        _list_types(session)
        return 0
    number = next((n for n, name in enumerate(SENSOR_TYPES) if n and name.lower() == wanted.lower()), None)
    if wanted.startswith("0x"):
        number = integer(wanted)
        if number is None or not 0 <= number <= 0xFF:
            raise session.refuse(f'Given type of sensor "{wanted}" is either invalid or out of range.')
    if number is None:
        session.context.error(f'Sensor Type "{wanted}" not found.')
        _list_types(session)
    else:
        _show_all(session, (record for record in records(session) if record.code == number), extended=True)
    return 0


def _list_types(session: Session) -> None:
    session.line("Sensor Types:")
    for number in range(1, len(SENSOR_TYPES), 2):
        left, right = SENSOR_TYPES[number : number + 2]
        session.line(f"\t{left:<25} (0x{number:02x})   {right:<25} (0x{number + 1:02x})")


def _entity(session: Session, wanted: str) -> int:
    if wanted.lower() in ("list", "help"):
        return session.context.not_modelled("ipmitool sdr entity list")
    number, _, instance = wanted.partition(".")
    if not number.isdecimal():
        named = [n for n, name in ENTITIES.items() if name.lower() == wanted.lower()]
        number = str(named[-1]) if named else ""
    if not number:
        raise session.refuse(f"Invalid entity: {wanted}")
    chosen = (record for record in records(session) if _is_entity(record, number, instance))
    _show_all(session, chosen, extended=True)
    return 0


def _is_entity(record: Record, number: str, instance: str) -> bool:
    own, _, own_instance = record.entity.partition(".")
    return own == number and instance in ("", own_instance)


def _get(session: Session, names: Sequence[str]) -> int:
    if not names:
        raise session.refuse("No Sensor ID supplied")
    for name in names:
        record = by_name(session, name)
        if record is None:
            session.context.error(f"Unable to find sensor id '{name}'")
        elif record.type is RecordType.EVENT:
            session.line(_event_only(session, record, True, verbose=True))
        elif session.csv:
            session.line(_csv(session, record, verbose=True))
        else:
            for line in threshold_details(record) if record.is_threshold else discrete_details(record):
                session.line(line)
    return 0


def _info(session: Session) -> int:
    """What a repository that is filled by the BMC itself answers; how much room is left is not told."""
    rows = (
        ("SDR Version", "0x51"),
        ("Record Count", str(len(records(session)))),
        ("Free Space", "unspecified"),
        ("Most recent Addition", "NA"),
        ("Most recent Erase", "NA"),
        ("SDR overflow", "no"),
        ("SDR Repository Update Support", "unspecified"),
        ("Delete SDR supported", "no"),
        ("Partial Add SDR supported", "no"),
        ("Reserve SDR repository supported", "yes"),
        ("SDR Repository Alloc info supported", "no"),
    )
    for name, value in rows:
        session.line(f"{name:<36}: {value}")
    return 0


def _plain(session: Session, record: Record) -> str:
    if record.is_threshold:
        value = f"{short(record.value, 2)} {record.unit}"[:_ROOM] if record.value is not None else "no reading"
        return f"{record.name:<16} | {value:<17} | {status(record)}"
    value, state = (f"0x{shown_byte(session, record):02x}", "ok") if record.readable else ("Not Readable", "ns")
    return f"{record.name:<16} | {value:<17} | {state}"


def _extended(record: Record) -> str:
    if not record.readable:
        state, text = "ns", "No Reading"
    elif record.value is not None:
        state, text = status(record, extended=True), f"{short(record.value, 2)} {record.unit}"[:_ROOM]
    else:
        state, text = "ok", ", ".join(_in_order(record))
    return f"{record.name:<16} | {record.number:02X}h | {state:<3} | {_entity_column(record)} | {text}"


def _entity_column(record: Record) -> str:
    number, _, instance = record.entity.partition(".")
    return f"{number:>2}.{instance}"


def _in_order(record: Record) -> list[str]:
    return sorted(record.states, key=record.event.texts.index)


def _csv(session: Session, record: Record, *, extended: bool = False, verbose: bool = False) -> str:
    if not record.is_threshold:
        start = f"{record.name},{record.number:02X}h,"
        if not record.readable:
            return f"{start}ns,{record.entity},No Reading"
        return f"{start}ok,{record.entity},{', '.join(_in_order(record))}"
    verbose = verbose or bool(session.verbose)
    line = f"{record.name},,,ns"
    if record.value is not None:
        state = state_words(record) if verbose else status(record, extended=extended)
        line = f"{record.name},{short(record.value, 3)},{record.unit},{state}"
    return line + (_csv_details(record) if verbose else "")


def _csv_details(record: Record) -> str:
    limits = {limit.short: decimal(limit.value, 3) for limit in record.limits}
    values = ["", "", "", *(limits.get(name, "") for name in ("unr", "ucr", "unc", "lnr", "lcr", "lnc"))]
    most = decimal(255 * record.factor, 3)
    return f",{record.entity},{record.entity_name},{record.type_name},{','.join(values)},0.000,{most}"


def _event_only(session: Session, record: Record, extended: bool, *, verbose: bool = False) -> str:
    if verbose or session.verbose:
        return "\n".join(event_only_details(record))
    if session.csv:
        return f"{record.name},{record.number:02X}h,ns,{record.entity},Event-Only"
    if extended:
        return f"{record.name:<16} | {record.number:02X}h | ns  | {_entity_column(record)} | Event-Only"
    return f"{record.name:<16} | Event-Only        | ns"


def event_only_details(record: Record) -> list[str]:
    """A record that has no reading, at length."""
    return [
        f"Sensor ID              : {record.name} (0x{record.number:x})",
        f"Entity ID              : {record.entity} ({record.entity_name})",
        f"Sensor Type            : {record.type_name} (0x{record.code:02x})",
        "",
    ]

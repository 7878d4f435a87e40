"""Log files out of the journal: which entries a file gets, how its daemon words them, and how logrotate cuts them.

rsyslog 8.2312 of Ubuntu 24.04 writes RFC 3339 times with microseconds and leaves out the kernel's own time stamp.
logrotate runs weekly on the first run of a Sunday: .1 is plain, older ones are compressed (delaycompress), four are
kept.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

from engine.control import journald
from engine.control.history.past import past_boots
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Node, file, log
from engine.kernel.units import DAY, MINUTE
from engine.world.records import LogEntry

KEPT = 4
ADM, SYSLOG_UID = 4, 102
_SUNDAY = 6
_BLOCK = 0xFFFF
_GZIP_HEADER = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3))  # deflate, no flags, no time, Unix
_AUTHENTICATION = ("auth", "authpriv")

Wanted = Callable[[LogEntry], bool]
Worded = Callable[[Machine, LogEntry], str]


@dataclass(frozen=True, slots=True)
class LogFile:
    """What belongs into a log and how its lines look."""

    wanted: Wanted
    worded: Worded
    mode: int = 0o640
    uid: int = SYSLOG_UID
    gid: int = ADM
    rotated: bool = True


def is_authentication(entry: LogEntry) -> bool:
    """What goes to auth.log."""
    return entry.facility in _AUTHENTICATION


def syslog_line(machine: Machine, entry: LogEntry) -> str:
    """A line of rsyslog."""
    tag = entry.source if entry.pid is None else f"{entry.source}[{entry.pid}]"
    stamp = machine.calendar(entry.time).isoformat(timespec="microseconds")
    return f"{stamp} {machine.host} {tag}: {entry.text}\n"


def files(machine: Machine, name: str, kind: LogFile) -> dict[str, Node]:
    """A log and its older parts by name. Which entries belong to which part is worked out when somebody reads."""
    found = {name: _current(name, kind)}
    for number in range(1, min(len(rotations(machine, name, kind)), KEPT) + 1):
        compressed = number > 1
        found[f"{name}.{number}{'.gz' if compressed else ''}"] = _older(name, kind, number, compressed)
    return found


def rotations(machine: Machine, name: str, kind: LogFile) -> list[int]:
    """When logrotate cut a log, oldest first: on Sundays, if there was something in it (notifempty)."""
    if not kind.rotated:
        return []
    inventory, world = machine.inventory, machine.world
    past = inventory.once(
        ("log rotations", world.seed, machine.host, past_boots(world, machine.host)[-1].start, name),
        lambda: _cuts(machine, kind, None, _sundays(machine, past_boots(world, machine.host)[0].kept_from, 0)),
    )
    if machine.now < DAY:
        return list(past)
    return [*past, *_cuts(machine, kind, past[-1] if past else None, _sundays(machine, 0, machine.now))]


def _cuts(machine: Machine, kind: LogFile, since: int | None, moments: list[int]) -> list[int]:
    """Those of the moments at which the log was not empty."""
    found: list[int] = []
    for moment in moments:
        start = found[-1] + 1 if found else since
        entries = journald.entries(machine.world, machine.host, start, moment)
        if any(kind.wanted(entry) for entry in entries):
            found.append(moment)
    return found


def _sundays(machine: Machine, after: int, until: int) -> list[int]:
    """When logrotate had run on the Sundays of a time."""
    start = machine.inventory.start
    days = range((start + after) // DAY, (start + until) // DAY + 1)
    sundays = [day * DAY - start for day in days if machine.calendar(day * DAY - start).weekday() == _SUNDAY]
    return [moment for moment in (_run_of(machine, midnight) for midnight in sundays) if after < moment <= until]


def lines(machine: Machine, kind: LogFile, start: int | None, end: int | None) -> bytes:
    """The lines of a time."""
    entries = journald.entries(machine.world, machine.host, start, end)
    text = "".join(kind.worded(machine, entry) for entry in entries if kind.wanted(entry) and entry.time <= machine.now)
    return text.encode("utf-8", "surrogateescape")


def packed(content: bytes) -> bytes:
    """gzip's form (RFC 1952) without a time, in stored blocks: what a library compresses differs between its
    versions.
    """
    pieces = [content[start : start + _BLOCK] for start in range(0, len(content), _BLOCK)] or [b""]
    blocks = b"".join(_stored(piece, last=number == len(pieces)) for number, piece in enumerate(pieces, 1))
    return _GZIP_HEADER + blocks + struct.pack("<II", crc32(content), len(content) & 0xFFFFFFFF)


def _stored(piece: bytes, last: bool) -> bytes:
    return struct.pack("<BHH", last, len(piece), len(piece) ^ 0xFFFF) + piece


def _current(name: str, kind: LogFile) -> Node:
    def cut(machine: Machine) -> int | None:
        return next(reversed(rotations(machine, name, kind)), None)

    def grows(machine: Machine, since: int | None) -> bytes:
        known = [time for time in (cut(machine), since) if time is not None]
        return lines(machine, kind, max(known) + 1 if known else None, machine.now)

    def modified(machine: Machine) -> int:
        began = cut(machine)
        for start in (machine.now - DAY, began):
            entries = journald.entries(machine.world, machine.host, start, machine.now)
            last = max((entry.time for entry in entries if kind.wanted(entry)), default=None)
            if last is not None and (began is None or last > began):
                return last
        return machine.installed if began is None else began

    return log(grows, modified, kind.mode, kind.uid, kind.gid)


def _older(name: str, kind: LogFile, number: int, compressed: bool) -> Node:
    """The part that was cut off `number` rotations ago."""

    def content(machine: Machine) -> bytes:
        ends = rotations(machine, name, kind)
        start = ends[-number - 1] + 1 if len(ends) > number else None
        plain = lines(machine, kind, start, ends[-number])
        return packed(plain) if compressed else plain

    def modified(machine: Machine) -> int:
        return rotations(machine, name, kind)[-number]

    return file(content, kind.mode, uid=kind.uid, gid=kind.gid, modified=modified)


def _run_of(machine: Machine, midnight: int) -> int:
    """When logrotate had run on the day that begins at `midnight`."""
    entries = journald.entries(machine.world, machine.host, midnight, midnight + MINUTE)
    runs = [entry.time for entry in entries if entry.unit == "logrotate.service" and entry.text.startswith("Finished")]
    return runs[0] if runs else midnight

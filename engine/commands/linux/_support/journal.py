"""Journal entries with the fields that journald gives them, and whose entries a user may see (systemd 255, Ubuntu
24.04).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.control import host_clock, journald, kernel_image, service_state
from engine.control.accounts import Identity
from engine.kernel.random import hash64
from engine.kernel.units import MICROSECOND
from engine.world.inventory import stable_hexadecimal
from engine.world.records import LogEntry, Priority
from engine.world.world import World

FACILITIES = {
    "kern": 0, "user": 1, "mail": 2, "daemon": 3, "auth": 4, "syslog": 5, "lpr": 6, "news": 7, "uucp": 8, "cron": 9,
    "authpriv": 10, "ftp": 11, **{f"local{number}": 16 + number for number in range(8)},
}  # fmt: skip
PRIORITIES = {
    "emerg": 0, "panic": 0, "alert": 1, "crit": 2, "err": 3, "error": 3, "warning": 4, "warn": 4, "notice": 5,
    "info": 6, "debug": 7,
}  # fmt: skip
READERS = frozenset({"adm", "systemd-journal"})
NO_ENTRIES = "-- No entries --"


def may_read(identity: Identity) -> bool:
    """Whether a user sees the system's journal."""
    return identity.uid == 0 or bool(READERS & set(identity.group_names))


@dataclass(frozen=True)
class Entry:
    """A journal entry: what was written, on which host, during which boot."""

    world: World
    host: str
    log: LogEntry
    boot: journald.Boot

    @property
    def epoch(self) -> int:
        """ns since 1970."""
        return host_clock.epoch(self.world, self.host, self.log.time)

    @property
    def identifier(self) -> str:
        return self.log.source

    @cached_property
    def fields(self) -> dict[str, str]:
        """The entry's fields, in the order in which `-o verbose` shows them here."""
        log, inventory = self.log, self.world.inventory
        kernel = log.source == "kernel"
        found = {
            "__CURSOR": self.cursor,
            "__REALTIME_TIMESTAMP": str(self.epoch // MICROSECOND),
            "__MONOTONIC_TIMESTAMP": str((log.time - self.boot.start) // MICROSECOND),
            "_BOOT_ID": self.boot.id,
            "_MACHINE_ID": kernel_image.machine_id(inventory, self.host),
            "_HOSTNAME": self.host,
            "PRIORITY": str(log.priority.value),
            "SYSLOG_FACILITY": str(0 if kernel else FACILITIES.get(log.facility, 3)),
            "SYSLOG_IDENTIFIER": log.source,
            "_TRANSPORT": "kernel" if kernel else "journal" if log.pid == 1 else "syslog",
            "MESSAGE": log.text,
        }
        if not kernel:
            found |= self._origin()
        return found

    def _origin(self) -> dict[str, str]:
        log = self.log
        found = {"SYSLOG_PID": str(log.pid), "_PID": str(log.pid)} if log.pid is not None else {}
        if log.pid == 1:
            own = {"_COMM": "systemd", "_EXE": "/usr/lib/systemd/systemd", "_SYSTEMD_UNIT": "init.scope"}
            return found | own | ({"UNIT": log.unit} if log.unit else {})
        found["_COMM"] = log.source[:15]
        if log.unit:
            unit = service_state.find(self.world, self.host, log.unit)
            found["_SYSTEMD_UNIT"] = log.unit
            if unit and unit.command.startswith("/"):
                found["_EXE"] = unit.command.partition(" ")[0]
        return found

    @property
    def cursor(self) -> str:
        """The entry's name in the journal."""
        sequence = stable_hexadecimal(32, self.world.inventory.name, self.host, "journal sequence")
        number = hash64(self.host, self.log.time, self.log.text)
        monotonic = (self.log.time - self.boot.start) // MICROSECOND
        place = f"b={self.boot.id};m={monotonic:x};t={self.epoch // MICROSECOND:x}"
        return f"s={sequence};i={number >> 40:x};{place};x={number:x}"

    @property
    def units(self) -> tuple[str, ...]:
        """The units that `-u` finds it by."""
        return (self.log.unit,) if self.log.unit else ()


def entries(
    world: World, host: str, *, start: int | None = None, end: int | None = None, kernel: bool = False
) -> list[Entry]:
    """The journal of a host from `start` to `end` (simulated ns), oldest first."""
    found = (journald.kernel_entries if kernel else journald.entries)(world, host, start, end)
    return with_boots(world, host, found)


def with_boots(world: World, host: str, logs: Sequence[LogEntry]) -> list[Entry]:
    """Entries with the boots during which they were written; `logs` are in order of time."""
    boots = journald.boots(world, host)
    result, index = [], 0
    for log in logs:
        while index + 1 < len(boots) and boots[index + 1].start <= log.time:
            index += 1
        result.append(Entry(world, host, log, boots[index]))
    return result


def priority_number(text: str) -> int | None:
    """0-7 of a name or number, or None."""
    if text.isdigit():
        return int(text) if int(text) <= Priority.DEBUG.value else None
    return PRIORITIES.get(text)

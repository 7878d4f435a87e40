"""The columns of ps by name: header, width, alignment and value (procps-ng 4.0.4 on a machine with pid_max 4194304)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.processes import Row, clock_time, elapsed_time
from engine.control.accounts import group_name
from engine.kernel.units import SECOND

UNLIMITED = 0
Value = Callable[[Context, Row], str]


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `width` UNLIMITED takes the rest of the line. `key` gives what it is sorted by."""

    header: str
    width: int
    right: bool
    value: Value
    key: Callable[[Row], Any] | None = None
    cut: bool = False


def _text(header: str, width: int, value: Value, *, cut: bool = False) -> Column:
    return Column(header, width, False, value, cut=cut)


def _number(header: str, width: int, value: Callable[[Row], int]) -> Column:
    return Column(header, width, True, lambda _, row: str(value(row)), value)


def _tenths(permille: int) -> str:
    return f"{permille // 10}.{permille % 10}" if permille < 1000 else str(permille // 10)


def _start(ctx: Context, row: Row) -> str:
    """15:59 of today, Nov01 of this year, or the year."""
    key = ("start", row.process.started)
    if key not in row.memo:
        row.memo[key] = _start_text(ctx, row)
    return row.memo[key]


def _start_text(ctx: Context, row: Row) -> str:
    epoch = ctx.epoch_at(row.process.started)
    here, there = clock.shown(ctx, ctx.epoch, "%Y%j"), clock.shown(ctx, epoch, "%Y%j")
    if here == there:
        return clock.shown(ctx, epoch, "%H:%M")
    return clock.shown(ctx, epoch, "%b%d" if here[:4] == there[:4] else " %Y")


def _started(ctx: Context, row: Row) -> str:
    old = row.elapsed > 86_400 * SECOND
    return clock.shown(ctx, ctx.epoch_at(row.process.started), "  %b %d" if old else "%H:%M:%S")


def _long_start(ctx: Context, row: Row) -> str:
    return clock.shown(ctx, ctx.epoch_at(row.process.started), "%a %b %e %H:%M:%S %Y")


def _priority(row: Row) -> int:
    return 20 + row.process.nice


def _bsd_time(ctx: Context, row: Row) -> str:
    seconds = row.cpu // SECOND
    return f"{seconds // 60}:{seconds % 60:02d}"


def _pages(row: Row) -> int:
    return row.process.virtual_kib // 4


_USER = _text("USER", 8, lambda _, row: row.process.user, cut=True)
_GROUP = _text("GROUP", 8, lambda ctx, row: group_name(ctx.inventory, row.uid), cut=True)
_COMMAND = _text("COMMAND", 15, lambda _, row: row.name)
_ARGUMENTS = Column("COMMAND", UNLIMITED, False, lambda _, row: row.arguments)
_CPU = Column("%CPU", 4, True, lambda _, row: _tenths(row.cpu_permille), lambda row: row.cpu_permille)
_MEMORY = Column("%MEM", 4, True, lambda _, row: _tenths(row.memory_permille), lambda row: row.process.resident_kib)
_RSS = _number("RSS", 5, lambda row: row.process.resident_kib)
_VSZ = _number("VSZ", 6, lambda row: row.process.virtual_kib)
_NICE = Column("NI", 3, True, lambda _, row: str(row.process.nice), lambda row: row.process.nice)
_STATE = _text("S", 1, lambda _, row: row.state[0])
_TIME = Column("TIME", 8, True, lambda _, row: clock_time(row.cpu), lambda row: row.cpu)

COLUMNS: dict[str, Column] = {
    **{name: _number(name.upper(), 7, lambda row: row.process.pid) for name in ("pid", "tgid", "tid", "lwp", "spid")},
    "ppid": _number("PPID", 7, lambda row: row.process.parent),
    **{name: _number(name.upper(), 7, lambda row: row.process.pid) for name in ("pgid", "pgrp", "sid", "sess")},
    **dict.fromkeys(("user", "euser", "uname"), _USER),
    "ruser": _text("RUSER", 8, _USER.value, cut=True),
    **{name: _number(name.upper(), 5, lambda row: row.uid) for name in ("uid", "euid", "ruid", "gid", "egid")},
    **dict.fromkeys(("group", "egroup", "rgroup"), _GROUP),
    **dict.fromkeys(("comm", "ucomm"), _COMMAND),
    "ucmd": _text("CMD", 15, _COMMAND.value),
    **dict.fromkeys(("args", "command"), _ARGUMENTS),
    "cmd": Column("CMD", UNLIMITED, False, _ARGUMENTS.value),
    **dict.fromkeys(("pcpu", "%cpu"), _CPU),
    "c": Column("C", 2, True, lambda _, row: str(min(row.cpu_permille // 10, 99)), lambda row: row.cpu_permille),
    "cp": _number("CP", 3, lambda row: row.cpu_permille),
    **dict.fromkeys(("pmem", "%mem"), _MEMORY),
    **dict.fromkeys(("vsz", "vsize"), _VSZ),
    **dict.fromkeys(("rss", "rssize", "rsz"), _RSS),
    "sz": _number("SZ", 5, _pages),
    "size": _number("SIZE", 5, lambda row: row.process.virtual_kib * 4 // 5),
    "drs": _number("DRS", 5, lambda row: row.process.virtual_kib),
    **dict.fromkeys(("stat",), _text("STAT", 4, lambda _, row: row.state)),
    **dict.fromkeys(("s", "state"), _STATE),
    **dict.fromkeys(("tty", "tt"), _text("TT", 8, lambda _, row: row.tty)),
    "tname": _text("TTY", 8, lambda _, row: row.tty),
    **dict.fromkeys(("time", "cputime", "atime"), _TIME),
    "bsdtime": Column("TIME", 6, True, _bsd_time, lambda row: row.cpu),
    **dict.fromkeys(("times", "cputimes"), _number("TIME", 8, lambda row: row.cpu // SECOND)),
    "etime": Column("ELAPSED", 11, True, lambda _, row: elapsed_time(row.elapsed), lambda row: row.elapsed),
    "etimes": _number("ELAPSED", 7, lambda row: row.elapsed // SECOND),
    "start": Column("STARTED", 8, True, _started, lambda row: row.process.started),
    "stime": Column("STIME", 5, False, _start, lambda row: row.process.started),
    "start_time": Column("START", 5, False, _start, lambda row: row.process.started),
    "bsdstart": Column("START", 6, True, _start, lambda row: row.process.started),
    "lstart": Column("STARTED", 24, True, _long_start, lambda row: row.process.started),
    **dict.fromkeys(("ni", "nice"), _NICE),
    "pri": _number("PRI", 3, lambda row: 19 - row.process.nice),
    "priority": _number("PRI", 3, _priority),
    "opri": _number("PRI", 3, lambda row: 80 + row.process.nice),
    "psr": _number("PSR", 3, lambda row: row.processor),
    "wchan": _text("WCHAN", 6, lambda _, row: "-"),
    **dict.fromkeys(("nlwp", "thcount"), _number("NLWP", 4, lambda row: row.threads)),
    "cgroup": _text("CGROUP", 27, lambda _, row: row.control_group),
    "unit": _text("UNIT", 31, lambda _, row: row.process.unit or "-"),
    "cls": _text("CLS", 3, lambda _, row: " TS"),
    "policy": _text("POL", 3, lambda _, row: "TS"),
    "rtprio": _text("RTPRIO", 6, lambda _, row: "     -"),
    **dict.fromkeys(("f", "flag", "flags"), _text("F", 1, lambda _, row: "1" if row.kernel else "4")),
    "addr": _text("ADDR", 4, lambda _, row: "-"),
    "addr_1": _text("-", 1, lambda _, row: "-"),
    "numa": _number("NUMA", 4, lambda row: row.processor % 2),
}  # fmt: skip


def cell(ctx: Context, column: Column, row: Row, width: int, prefix: str = "") -> str:
    """A cell, padded to its width; names that are too long end with +."""
    text = prefix + column.value(ctx, row)
    if column.cut and width and len(text) > width:
        text = text[: width - 1] + "+"
    if not width:
        return text
    return text.rjust(width) if column.right else text.ljust(width)

"""What top shows (procps-ng 4.0.4): the summary above and the list of processes below, as lines of text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.commands.context import Context
from engine.commands.linux._support.processes import Row, rows
from engine.commands.linux.uptime import line as uptime_line
from engine.control import processes
from engine.kernel.units import SECOND

_CENTISECOND = SECOND // 100
_NORMAL, _REVERSE = "\x1b[27m", "\x1b[7m"


@dataclass(slots=True)
class View:
    """What the reader asked for: order, choice of processes, whole command lines."""

    sort: str = "%CPU"
    reverse: bool = False
    user: int | None = None
    pids: frozenset[int] = frozenset()
    command_lines: bool = False
    idle: bool = True
    per_cpu: bool = False


@dataclass(frozen=True, slots=True)
class _Field:
    header: str
    width: int
    right: bool
    text: Callable[[Row], str]
    key: Callable[[Row], Any]


def lines(ctx: Context, view: View) -> tuple[list[str], list[str]]:
    """(the summary, the list with its header)."""
    everything = rows(ctx)
    shown = [row for row in everything if _is_shown(view, row)]
    key = next((field.key for field in _FIELDS if field.header == view.sort), _FIELDS[8].key)
    shown.sort(key=lambda row: (row.process.pid,))
    shown.sort(key=key, reverse=not view.reverse)
    return _summary(ctx, everything), [_header(), *(_line(row, view) for row in shown)]


def _is_shown(view: View, row: Row) -> bool:
    if view.pids and row.process.pid not in view.pids:
        return False
    if view.user is not None and row.uid != view.user:
        return False
    return view.idle or busy_tenths(row) > 0


def _summary(ctx: Context, everything: list[Row]) -> list[str]:
    states = [row.state[0] for row in everything]
    running, stopped, zombie = states.count("R"), states.count("T"), states.count("Z")
    sleeping = len(states) - running - stopped - zombie
    cpu = processes.cpu_use(ctx.world, ctx.host, ctx.now)
    shares = ((cpu.user, "us"), (cpu.system, "sy"), (cpu.nice, "ni"), (cpu.idle, "id"), (cpu.wait, "wa"),
              (cpu.hardware_interrupt, "hi"), (cpu.software_interrupt, "si"), (cpu.steal, "st"))  # fmt: skip
    memory = processes.memory(ctx.world, ctx.host)
    used = memory.total - memory.available
    return [
        "top -" + uptime_line(ctx),
        f"Tasks: {len(states):3d} total, {running:3d} running, {sleeping:3d} sleeping, {stopped:3d} stopped, "
        f"{zombie:3d} zombie",
        "%Cpu(s):" + ",".join(f"{_share(value)} {name}" for value, name in shares) + " ",
        f"MiB Mem : {_mebi(memory.total)} total, {_mebi(memory.free)} free, {_mebi(used)} used, "
        f"{_mebi(memory.buff_cache)} buff/cache     ",
        f"MiB Swap: {_mebi(memory.swap_total)} total, {_mebi(memory.swap_free)} free, {_mebi(memory.swap_used)} used. "
        f"{_mebi(memory.available)} avail Mem ",
    ]


def _share(permille: int) -> str:
    return f"{permille // 10:3d}.{permille % 10}"


def _mebi(kib: int) -> str:
    tenths = kib * 10 // 1024
    return f"{tenths // 10}.{tenths % 10}".rjust(8)


def busy_tenths(row: Row) -> int:
    """CPU that a process takes now, in permille of one."""
    if row.process.state.startswith(("T", "Z")):
        return 0
    return row.process.cpu_permille


def _short(kib: int, width: int) -> str:
    """A size in KiB that fits, else in m, g or t."""
    text = str(kib)
    if len(text) <= width:
        return text
    for letter, unit in (("m", 1024), ("g", 1024**2), ("t", 1024**3)):
        text = f"{kib / unit:.1f}{letter}"
        if len(text) <= width:
            return text
    return text


def _cpu_time(row: Row) -> str:
    hundredths = row.cpu // _CENTISECOND
    minutes = hundredths // 6000
    text = f"{minutes}:{hundredths // 100 % 60:02d}.{hundredths % 100:02d}"
    if len(text) > 9:
        text = f"{minutes}:{hundredths // 100 % 60:02d}"
    return text if len(text) <= 9 else f"{minutes // 60},{minutes % 60:02d}"


def _percent(permille: int) -> str:
    return f"{permille // 10}.{permille % 10}" if permille < 10_000 else str(permille // 10)


def _user(row: Row) -> str:
    name = row.process.user
    return name if len(name) <= 8 else name[:7] + "+"


def _nice(row: Row) -> int:
    return -20 if "<" in row.state else row.process.nice


_FIELDS = (
    _Field("PID", 7, True, lambda row: str(row.process.pid), lambda row: row.process.pid),
    _Field("USER", 8, False, _user, lambda row: row.process.user),
    _Field("PR", 3, True, lambda row: str(20 + _nice(row)), _nice),
    _Field("NI", 3, True, lambda row: str(_nice(row)), _nice),
    _Field("VIRT", 7, True, lambda row: _short(row.process.virtual_kib, 7), lambda row: row.process.virtual_kib),
    _Field("RES", 6, True, lambda row: _short(row.process.resident_kib, 6), lambda row: row.process.resident_kib),
    _Field(
        "SHR", 6, True, lambda row: _short(row.process.resident_kib * 6 // 10, 6), lambda row: row.process.resident_kib
    ),
    _Field("S", 1, False, lambda row: row.state[0], lambda row: row.state),
    _Field("%CPU", 5, True, lambda row: _percent(busy_tenths(row)), busy_tenths),
    _Field("%MEM", 5, True, lambda row: _percent(row.memory_permille), lambda row: row.process.resident_kib),
    _Field("TIME+", 9, True, _cpu_time, lambda row: row.cpu),
)
SORTABLE = [field.header for field in _FIELDS] + ["COMMAND"]


def _header() -> str:
    cells = [field.header.rjust(field.width) if field.right else field.header.ljust(field.width) for field in _FIELDS]
    return " ".join(cells) + " COMMAND"


def _line(row: Row, view: View) -> str:
    cells = [
        field.text(row).rjust(field.width) if field.right else field.text(row).ljust(field.width) for field in _FIELDS
    ]
    return " ".join(cells) + " " + (row.arguments if view.command_lines else row.name)


def coloured(summary: list[str], listing: list[str], columns: int) -> list[str]:
    """The screen: the summary, and the list under a reversed header."""
    header = f"{_REVERSE}{listing[0][:columns].ljust(columns)}{_NORMAL}" if listing else ""
    return [*(line[:columns] for line in summary), "", header, *(line[:columns] for line in listing[1:])]

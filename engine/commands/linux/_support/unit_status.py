"""What `systemctl status` shows of a unit and of the whole system (systemd 255). Peak memory is a guess: a tenth above
the present.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.commands.linux._support import clock, journal
from engine.commands.linux._support.journal_output import Style, lines
from engine.commands.linux._support.timestamps import format_relative, format_timestamp
from engine.control import processes, systemd
from engine.control.unit_messages import cpu_time, exit_name, span
from engine.control.units import Unit
from engine.kernel.units import KIB
from engine.world.records import Process, Service

ACTIVE, INACTIVE, FAILED = "●", "○", "×"
_GREEN, _RED, _OFF = "\x1b[0;1;32m", "\x1b[0;1;31m", "\x1b[0m"
_PID_MAX = 4_194_304
_PAGES_PER_THREAD = 128 * KIB


def unit_lines(ctx: Context, unit: Unit, count: int, *, logs: Style) -> Iterator[str]:
    """The status of a unit with its last `count` journal entries."""
    state = systemd.service(ctx.world, ctx.host, unit.name)
    facts = systemd.properties(ctx.world, ctx.host, unit.name)
    yield f"{dot(ctx, state)} {unit.name} - {unit.description}"
    path, preset = facts["FragmentPath"], "" if unit.static else f"; preset: {facts['UnitFilePreset']}"
    yield f"     Loaded: loaded ({path}; {facts['UnitFileState']}{preset})"
    yield _active_line(ctx, state, facts)
    for index, document in enumerate(unit.documentation):
        yield f"{'       Docs:' if index == 0 else '            '} {document}"
    yield from _process_lines(ctx, unit, state)
    if state.active and unit.runs_process:
        yield from _usage_lines(ctx, unit, state)
    yield from _log_lines(ctx, unit, count, logs)


def dot(ctx: Context, state: Service) -> str:
    """The coloured sign of a unit's state."""
    sign, colour = (FAILED, _RED) if state.failed else (ACTIVE, _GREEN) if state.active else (INACTIVE, "")
    return f"{colour}{sign}{_OFF}" if colour and ctx.terminal else sign


def _active_line(ctx: Context, state: Service, facts: dict[str, str]) -> str:
    active, sub = facts["ActiveState"], facts["SubState"]
    text = active if active == sub else f"{active} ({sub})"
    colour = _RED if state.failed else _GREEN if state.active else ""
    text = f"{colour}{text}{_OFF}" if colour and ctx.terminal else text
    result = f" (Result: {state.result})" if state.result != "success" else ""
    if not state.since and not state.active:
        return f"     Active: {text}{result}"
    epoch = ctx.epoch_at(state.since)
    when = f"{format_timestamp(clock.timezone(ctx), epoch)}; {format_relative(ctx.epoch, epoch)}"
    return f"     Active: {text}{result} since {when}"


def _process_lines(ctx: Context, unit: Unit, state: Service) -> Iterator[str]:
    """How its processes ended, and the main one if it runs."""
    ended = "killed, signal=KILL" if state.result == "signal" else f"exited, status={_exit(state.exit_status)}"
    if state.active and unit.kind in ("forking", "oneshot") and unit.command:
        pid = state.pid - 2 if state.pid else 0
        yield f"    Process: {pid or '-'} ExecStart={unit.command} (code=exited, status=0/SUCCESS)"
    elif state.failed and state.pid and unit.command:
        yield f"    Process: {state.pid} ExecStart={unit.command} (code={ended})"
    if state.active and state.pid:
        yield f"   Main PID: {state.pid} ({main_name(unit)})"
    elif state.pid and not (state.failed and unit.control_fails):
        yield f"   Main PID: {state.pid} (code={ended})"


def main_name(unit: Unit) -> str:
    """The kernel's name of the main process, cut as it cuts names."""
    return unit.source[:15]


def _exit(status: int) -> str:
    return f"{status}/{exit_name(status)}"


def _usage_lines(ctx: Context, unit: Unit, state: Service) -> Iterator[str]:
    running = unit_processes(ctx, unit)
    memory = sum(process.resident_kib for process in running) * KIB
    threads = min(_PID_MAX, ctx.node.memory_bytes // _PAGES_PER_THREAD)
    tasks = max(unit.tasks, len(running))
    yield f"      Tasks: {tasks} (limit: {threads * 15 // 100})"
    yield f"     Memory: {format_bytes(memory)} (peak: {format_bytes(memory * 11 // 10)})"
    yield f"        CPU: {span(cpu_time(unit, ctx.now - state.since))}"
    yield f"     CGroup: /system.slice/{unit.name}"
    for index, process in enumerate(running):
        branch = "└─" if index == len(running) - 1 else "├─"
        yield f"             {branch}{process.pid} {command_line(process)}"


def unit_processes(ctx: Context, unit: Unit) -> list[Process]:
    """The processes that belong to a unit, by pid."""
    return [process for process in processes.processes(ctx.world, ctx.host) if process.unit == unit.name]


def command_line(process: Process) -> str:
    """A process's words; a title that it gave itself stands in quotes."""
    first = process.command.partition(" ")[0]
    return f'"{process.command}"' if first.endswith(":") else process.command


def _log_lines(ctx: Context, unit: Unit, count: int, logs: Style) -> Iterator[str]:
    if not count:
        return
    if not journal.may_read(ctx.identity):
        yield ""
        yield "Warning: some journal files were not opened due to insufficient permissions."
        return
    found = journal.entries(ctx.world, ctx.host, start=ctx.world.nodes[ctx.host].booted_at)
    own = [entry for entry in found if unit.name in entry.units][-count:]
    if own:
        yield ""
    for entry in own:
        yield from lines(entry, logs)


def format_bytes(number: int) -> str:
    """`8.0M`, `512.0K`, `100B`: systemd's format_bytes."""
    for letter, unit in (("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if number >= unit:
            return f"{number // unit}.{number % unit * 10 // unit}{letter}"
    return f"{number}B"


def system_lines(ctx: Context) -> Iterator[str]:
    """The status of the whole system."""
    names = systemd.units(ctx.world, ctx.host)
    states = {name: systemd.service(ctx.world, ctx.host, name) for name in names}
    failed = sum(state.failed for state in states.values())
    booted = ctx.epoch_at(ctx.world.nodes[ctx.host].booted_at)
    sign = FAILED if failed else ACTIVE
    yield f"{sign} {ctx.host}"
    yield f"    State: {system_state(ctx)}"
    yield f"    Units: {len(names)} loaded (incl. loaded aliases)"
    yield "     Jobs: 0 queued"
    yield f"   Failed: {failed} units"
    yield f"    Since: {format_timestamp(clock.timezone(ctx), booted)}; {format_relative(ctx.epoch, booted)}"
    yield "  systemd: 255.4-1ubuntu8.4"
    yield "   CGroup: /"
    yield "           ├─init.scope"
    yield "           │ └─1 /sbin/init"
    yield "           └─system.slice"
    running = [unit for name in sorted(names) if (unit := systemd.unit(name)) and unit_processes(ctx, unit)]
    for index, unit in enumerate(running):
        last = index == len(running) - 1
        yield f"             {'└─' if last else '├─'}{unit.name}"
        for process in unit_processes(ctx, unit):
            yield f"             {'  ' if last else '│ '}└─{process.pid} {command_line(process)}"


def system_state(ctx: Context) -> str:
    """running, or degraded if a unit has failed."""
    states = (systemd.service(ctx.world, ctx.host, name) for name in systemd.units(ctx.world, ctx.host))
    return "degraded" if any(state.failed for state in states) else "running"

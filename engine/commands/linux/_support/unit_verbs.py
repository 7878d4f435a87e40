"""The verbs of systemctl that look at units: status, is-active, show, cat, list-units and list-unit-files (systemd
255).
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable

from engine.commands.context import Context
from engine.commands.linux._support import clock, pager, paths, unit_drop_ins, unit_status
from engine.commands.linux._support.journal_output import Style
from engine.commands.linux._support.timestamps import format_timestamp
from engine.commands.options import Parsed
from engine.control import systemd
from engine.control.systemd import Unit, active_state, full_name, sub_state, unit_file_state
from engine.hostfs.tree import FileError

_NOT_RUNNING, _NO_SUCH_UNIT = 3, 4
_LEGEND = """
Legend: LOAD   → Reflects whether the unit definition was properly loaded.
        ACTIVE → The high-level unit activation state, i.e. generalization of SUB.
        SUB    → The low-level unit activation state, values depend on unit type.
"""


def found_units(ctx: Context, pattern: str) -> list[Unit]:
    """The host's units that a name or glob means."""
    if any(sign in pattern for sign in "*?["):
        names = [name for name in systemd.units(ctx.world, ctx.host) if fnmatch.fnmatchcase(name, pattern)]
        return [unit for name in names if (unit := systemd.find(ctx.world, ctx.host, name))]
    unit = systemd.find(ctx.world, ctx.host, pattern)
    return [unit] if unit else []


async def status(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    if not names:
        await _show(ctx, parsed, list(unit_status.system_lines(ctx)))
        return 0
    count = int(parsed["lines"]) if (parsed["lines"] or "").isdigit() else 10
    style = Style(mode=parsed["output"] or "short", zone=clock.timezone(ctx), colour=ctx.terminal is not None)
    status = 0
    shown: list[str] = []
    for name in names:
        units = found_units(ctx, name)
        if not units and not any(sign in name for sign in "*?["):
            ctx.error(f"Unit {full_name(name)} could not be found.")
            status = _NO_SUCH_UNIT
        for unit in units:
            shown += [*([""] if shown else []), *unit_status.unit_lines(ctx, unit, count, logs=style)]
            if not systemd.service(ctx.world, ctx.host, unit.name).active:
                status = status or _NOT_RUNNING
    await _show(ctx, parsed, shown)
    return status


async def _show(ctx: Context, parsed: Parsed, lines: list[str]) -> None:
    if "no_pager" in parsed or ctx.environment.get("SYSTEMD_PAGER") in ("", "cat"):
        ctx.write("".join(line + "\n" for line in lines))
    else:
        await pager.show(ctx, lines)


async def is_active(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    return _tell(ctx, parsed, names, {"active"}, lambda unit: active_state(state_of(ctx, unit)), "inactive")


async def is_failed(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    if not names:
        state = unit_status.system_state(ctx)
        ctx.line(state)
        return 0 if state == "degraded" else 1
    status = _tell(ctx, parsed, names, {"failed"}, lambda unit: active_state(state_of(ctx, unit)), "inactive")
    return 0 if status == 0 else 1


async def is_enabled(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    good = {"enabled", "static"}
    status = _tell(ctx, parsed, names, good, lambda unit: unit_file_state(unit, state_of(ctx, unit)), "not-found")
    missing = all(not found_units(ctx, name) for name in names)
    return 0 if status == 0 else _NO_SUCH_UNIT if missing else 1


def _tell(
    ctx: Context, parsed: Parsed, names: list[str], good: set[str], tell: Callable[[Unit], str], absent: str
) -> int:
    """A word for each unit; status 0 if one of them is as wished."""
    words = []
    for name in names:
        units = found_units(ctx, name)
        words += [tell(unit) for unit in units] or [absent]
    for word in words if "quiet" not in parsed else []:
        ctx.line(word)
    return 0 if good & set(words) else _NOT_RUNNING


def state_of(ctx: Context, unit: Unit) -> systemd.Service:
    return systemd.service(ctx.world, ctx.host, unit.name)


async def show_properties(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    wanted = [name for text in parsed.all("property") for name in text.split(",")]
    shown: list[str] = []
    for name in names or [""]:
        facts = (
            _facts(ctx, name) if name else {"Version": "255.4-1ubuntu8.4", "SystemState": unit_status.system_state(ctx)}
        )
        keys = wanted or list(facts)
        lines = [facts.get(key, "") if "value" in parsed else f"{key}={facts[key]}" for key in keys if key in facts]
        shown += [*([""] if shown else []), *lines]
    await _show(ctx, parsed, shown)
    return 0


def _facts(ctx: Context, name: str) -> dict[str, str]:
    if unit_drop_ins.is_slice(name):
        return unit_drop_ins.slice_properties(ctx, name)
    facts = dict(systemd.properties(ctx.world, ctx.host, name))
    unit = systemd.find(ctx.world, ctx.host, name)
    if unit:
        state = state_of(ctx, unit)
        when = format_timestamp(clock.timezone(ctx), ctx.epoch_at(state.since)) if state.since else ""
        facts["ActiveEnterTimestamp"] = when if state.active else ""
        facts["InactiveEnterTimestamp"] = "" if state.active else when
        facts["StateChangeTimestamp"] = when
    return facts


async def cat(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    status = 0
    shown: list[str] = []
    for name in names:
        if unit_drop_ins.is_slice(name):
            text = [f"# {unit_drop_ins.slice_path(name)}", *unit_drop_ins.slice_text(name)]
            shown += [*([""] if shown else []), *text, *unit_drop_ins.drop_in_lines(ctx, name)]
            continue
        facts = systemd.properties(ctx.world, ctx.host, name)
        path = facts.get("FragmentPath", "")
        try:
            lines = paths.tree(ctx).read(path).decode().splitlines() if path else []
        except FileError:
            return ctx.not_modelled(f"the text of {path}")
        if not path:
            ctx.error(f"No files found for {full_name(name)}.")
            status = 1
            continue
        shown += [*([""] if shown else []), f"# {path}", *lines, *unit_drop_ins.drop_in_lines(ctx, name)]
    await _show(ctx, parsed, shown)
    return status


async def list_units(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    rows = []
    for name in sorted(systemd.units(ctx.world, ctx.host), key=lambda name: (name.rpartition(".")[2], name)):
        unit = systemd.find(ctx.world, ctx.host, name)
        if unit and _listed(ctx, parsed, unit, names):
            state = state_of(ctx, unit)
            mark = "●" if state.failed else " "
            rows.append([mark, unit.name, "loaded", active_state(state), sub_state(unit, state), unit.description])
    widths = [max([len(head), *(len(row[column]) for row in rows)]) for column, head in enumerate(_UNIT_HEADER)]
    lines = [] if "no_legend" in parsed else [_unit_row(_UNIT_HEADER, widths)]
    lines += [_unit_row(row, widths) for row in rows]
    await _show(ctx, parsed, lines + ([] if "no_legend" in parsed else _footer(parsed, len(rows))))
    return 0


_UNIT_HEADER = ["", "UNIT", "LOAD", "ACTIVE", "SUB", "DESCRIPTION"]


def _unit_row(row: list[str], widths: list[int]) -> str:
    cells = [cell.ljust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True)]
    return f"{row[0] or ' '} {' '.join(cells)} {row[-1]}"


def _footer(parsed: Parsed, count: int) -> list[str]:
    lines = _LEGEND.splitlines() if count else []
    text = f"{count} loaded units listed."
    chosen = "state" in parsed or "failed" in parsed
    if not chosen and "all" not in parsed:
        text += " Pass --all to see loaded but inactive units, too."
    if count:
        lines.append("")
    lines.append(text)
    if not chosen:
        lines.append("To show all installed unit files use 'systemctl list-unit-files'.")
    return lines


def _listed(ctx: Context, parsed: Parsed, unit: Unit, patterns: list[str]) -> bool:
    state = state_of(ctx, unit)
    kinds = [kind for text in parsed.all("type") for kind in text.split(",")]
    states = [word for text in parsed.all("state") for word in text.split(",")]
    states += ["failed"] if "failed" in parsed else []
    if kinds and unit.name.rpartition(".")[2] not in kinds:
        return False
    if patterns and not any(
        fnmatch.fnmatchcase(unit.name, pattern) or unit.name == full_name(pattern) for pattern in patterns
    ):
        return False
    if states:
        return bool({active_state(state), sub_state(unit, state), "loaded"} & set(states))
    return "all" in parsed or state.active or state.failed


async def list_unit_files(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    kinds = [kind for text in parsed.all("type") for kind in text.split(",")]
    states = [word for text in parsed.all("state") for word in text.split(",")]
    rows = []
    for name in sorted(systemd.units(ctx.world, ctx.host)):
        unit = systemd.find(ctx.world, ctx.host, name)
        if unit is None or (kinds and name.rpartition(".")[2] not in kinds):
            continue
        word = unit_file_state(unit, state_of(ctx, unit))
        if (states and word not in states) or (names and not any(fnmatch.fnmatchcase(name, p) for p in names)):
            continue
        rows.append([name, word, "-" if unit.static else "enabled"])
    header = ["UNIT FILE", "STATE", "PRESET"]
    widths = [max([len(head), *(len(row[column]) for row in rows)]) for column, head in enumerate(header)]
    shown = [] if "no_legend" in parsed else [header]
    lines = [
        " ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in shown + rows
    ]
    await _show(ctx, parsed, lines + ([] if "no_legend" in parsed else ["", f"{len(rows)} unit files listed."]))
    return 0

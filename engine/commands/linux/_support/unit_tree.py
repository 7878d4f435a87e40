"""systemctl list-dependencies of systemd 255: what a unit pulls in, or with --reverse who pulls it in, as a tree.

A service needs system.slice and sysinit.target whatever its file says (systemd.special(7)); what is below those is left
out. Targets come last, everything else by name (list_dependencies_compare of systemctl-list-dependencies.c).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.commands.context import Context
from engine.commands.linux._support import unit_status
from engine.commands.options import Parsed
from engine.control import systemd
from engine.control.service_state import is_enabled, units_of
from engine.control.systemd import Unit, full_name

_DEFAULT = "graphical.target"
_ALWAYS = ("system.slice", "sysinit.target")
Children = Callable[[Context, str], list[str]]


async def list_dependencies(ctx: Context, parsed: Parsed, names: list[str]) -> int:
    """The tree of each unit; without names that of the default target."""
    children = _needed_by if "reverse" in parsed else _after if "after" in parsed else _needs
    for name in names or [_DEFAULT]:
        if systemd.find(ctx.world, ctx.host, name) is None:
            ctx.line(full_name(name))
            continue
        ctx.line(full_name(name))
        for line in _branches(ctx, full_name(name), children, "", (full_name(name),)):
            ctx.line(line)
    return 0


def _branches(ctx: Context, name: str, children: Children, lead: str, above: tuple[str, ...]) -> Iterator[str]:
    found = sorted(dict.fromkeys(children(ctx, name)), key=lambda each: (each.endswith(".target"), each.lower()))
    for number, each in enumerate(found, 1):
        last = number == len(found)
        yield f"{_dot(ctx, each)} {lead}{'└─' if last else '├─'}{each}"
        if each not in above and each.endswith(".target"):
            yield from _branches(ctx, each, children, lead + ("  " if last else "│ "), (*above, each))


def _dot(ctx: Context, name: str) -> str:
    if systemd.find(ctx.world, ctx.host, name) is None:
        return unit_status.ACTIVE
    return unit_status.dot(ctx, systemd.service(ctx.world, ctx.host, name))


def _units(ctx: Context) -> list[Unit]:
    return units_of(ctx.node)


def _needs(ctx: Context, name: str) -> list[str]:
    """Requires= and Wants= of a unit."""
    unit = systemd.find(ctx.world, ctx.host, name)
    if unit is None:
        return []
    wanted = [each.name for each in _units(ctx) if each.wanted_by == name and is_enabled(ctx.world, ctx.host, each)]
    if unit.kind == "target":
        return [*wanted, *(["multi-user.target"] if name == _DEFAULT else [])]
    return [*unit.requires, *_ALWAYS, *wanted]


def _after(ctx: Context, name: str) -> list[str]:
    """What a unit waits for."""
    unit = systemd.find(ctx.world, ctx.host, name)
    if unit is None:
        return []
    return [*unit.after, *unit.requires] if unit.kind == "target" else [*unit.after, *unit.requires, *_ALWAYS]


def _needed_by(ctx: Context, name: str) -> list[str]:
    """Who has a unit in Requires= or Wants=."""
    return [each.name for each in _units(ctx) if name in _needs(ctx, each.name)]

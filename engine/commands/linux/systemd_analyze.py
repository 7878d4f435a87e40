"""systemd-analyze of systemd 255: how long the last start took, and which units took it.

A unit's time in a boot is that of its start by hand, give or take a tenth by a hash; moments are those of the boot's
order of units.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import SYSTEMD, program
from engine.commands.options import Option, Parsed
from engine.control import systemd
from engine.control.history.boot_units import startup_finished
from engine.control.service_state import units_of
from engine.control.unit_messages import span
from engine.control.units import Unit, all_units
from engine.kernel.random import hash64
from engine.kernel.units import MILLISECOND

_KERNEL_MS = 10_220
_TARGETS = ("graphical.target", "multi-user.target")


def run(ctx: Context, parsed: Parsed) -> int:
    """time (also without a verb), blame, critical-chain."""
    verb, *names = parsed.operands or ("time",)
    if verb == "time":
        ctx.line(startup_finished(ctx.world, ctx.host).text.removesuffix(".") + " ")
        reached = all_units()[_TARGETS[0]].ready_at - _KERNEL_MS
        ctx.line(f"graphical.target reached after {span(reached * MILLISECOND)} in userspace.")
        return 0
    if verb == "blame":
        return _blame(ctx)
    if verb == "critical-chain":
        return _critical_chain(ctx, names[0] if names else _TARGETS[0])
    if verb in ("plot", "dump", "dot", "verify", "security", "calendar", "timespan", "cat-config", "unit-files"):
        return ctx.not_modelled(f"systemd-analyze {verb}")
    ctx.error(f"Unknown command verb {verb}.")
    return 1


def _blame(ctx: Context) -> int:
    times = sorted(((_took(ctx, unit), unit.name) for unit in _started(ctx) if unit.kind != "target"), reverse=True)
    texts = [(span(took * MILLISECOND), name) for took, name in times if took]
    width = max((len(text) for text, _ in texts), default=0)
    for text, name in texts:
        ctx.line(f"{text:>{width}} {name}")
    return 0


def _critical_chain(ctx: Context, name: str) -> int:
    unit = systemd.find(ctx.world, ctx.host, name)
    if unit is None:
        ctx.error(f"Failed to get ID: Unit {systemd.full_name(name)} not found.")
        return 1
    ctx.line('The time when unit became active or started is printed after the "@" character.')
    ctx.line('The time the unit took to start is printed after the "+" character.\n')
    depth = 0
    while unit is not None:
        lead = f"{'  ' * (depth - 1)}└─" if depth else ""
        took = _took(ctx, unit)
        begun = max(unit.ready_at - (0 if unit.kind == "target" else took) - _KERNEL_MS, 0)
        ctx.line(f"{lead}{unit.name} @{span(begun * MILLISECOND)}" + (f" +{span(took * MILLISECOND)}" if took else ""))
        unit, depth = _before(ctx, unit), depth + 1
    return 0


def _before(ctx: Context, unit: Unit) -> Unit | None:
    """What a unit waited for longest: the last of those that its file names; for a target, of those that it wants."""
    if unit.name == _TARGETS[0]:
        return systemd.find(ctx.world, ctx.host, _TARGETS[1])
    wanted = [each for each in _started(ctx) if each.name in (*unit.after, *unit.requires)]
    if unit.kind == "target":
        wanted = [each for each in _started(ctx) if each.wanted_by == unit.name and each.ready_at < unit.ready_at]
    return max(wanted, key=lambda each: each.ready_at, default=None)


def _started(ctx: Context) -> list[Unit]:
    """Units that the boot brought up."""
    known = units_of(ctx.node)
    return [unit for unit in known if unit.ready_at and systemd.service(ctx.world, ctx.host, unit.name).active]


def _took(ctx: Context, unit: Unit) -> int:
    """Milliseconds that a unit's start took in this boot."""
    if unit.kind in ("target", "timer", "simple", "idle"):
        return 0
    start = ctx.world.nodes[ctx.host].booted_at
    return unit.takes * (900 + hash64(ctx.world.seed, ctx.host, unit.name, start, "took") % 200) // 1000


COMMAND = program(
    "systemd-analyze",
    "how long the last start took",
    run,
    suite=SYSTEMD,
    synopsis="systemd-analyze [time|blame|critical-chain [UNIT]]",
    options=(Option(None, "no-pager", help="not through a pager"),),
    manual="""
    blame lists units by the time of their own start, which says nothing of what they waited for; critical-chain shows
    what a unit waited for.
    """,
)

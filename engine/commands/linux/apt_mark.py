"""apt-mark 2.7 of Ubuntu 24.04: puts packages on hold. Texts compared with apt 2.6."""

from __future__ import annotations

from collections.abc import Callable

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import apt_line
from engine.commands.linux._support.apt_line import WRONG, Line, refuse
from engine.commands.options import Option
from engine.control import packages
from engine.control.packages import Hold

_VERBS = {
    "hold": "keep packages at their version",
    "unhold": "let them be upgraded again",
    "showhold": "list packages on hold",
    "showmanual": "list packages that were asked for",
    "showauto": "list packages that came along with others",
    "auto": "mark packages as come along",
    "manual": "mark packages as asked for",
}
Verb = Callable[[Context, Line], int]


def run(ctx: Context) -> int:
    """Do what the verb says."""
    line = apt_line.read(ctx)
    greeted = apt_line.greet(ctx, line, _VERBS, _OPTIONS)
    if greeted is not None:
        return greeted
    action = _ACTIONS.get(line.verb)
    return action(ctx, line) if action else ctx.not_modelled(f"apt-mark {line.verb}")


def _hold(ctx: Context, line: Line) -> int:
    known, wanted = packages.installed(ctx.world, ctx.host), line.verb == "hold"
    missing = [name for name in line.words if name not in known]
    for name in missing:
        ctx.error(f"E: Unable to locate package {name}")
    if missing or not line.words:
        raise refuse("No packages found")
    held = packages.holds(ctx.world, ctx.host)
    changed = tuple(name for name in line.words if (name in held) != wanted)
    if changed and not ctx.is_root:
        ctx.error("dpkg: error: required read/write access to the dpkg database directory /var/lib/dpkg")
        ctx.error("E: Sub-process dpkg --set-selections returned an error code (2)")
        ctx.error("E: Executing dpkg failed. Are you root?")
        return WRONG
    if changed:
        ctx.simulation.apply(Hold(ctx.host, changed, wanted))
    for name in line.words:
        if name not in changed:
            ctx.line(f"{name} was already {'set on hold' if wanted else 'not on hold'}.")
        else:
            ctx.line(f"{name} set on hold." if wanted else f"Canceled hold on {name}.")
    return 0


def _show_held(ctx: Context, line: Line) -> int:
    for name in packages.holds(ctx.world, ctx.host):
        if not line.words or name in line.words:
            ctx.line(name)
    return 0


_ACTIONS: dict[str, Verb] = {"hold": _hold, "unhold": _hold, "showhold": _show_held}

_OPTIONS = (
    Option("q", "quiet", help="less output"),
    Option("s", "simulate", help="only say what would be done"),
    Option("o", "option", "NAME=VALUE", help="set a configuration option"),
)

COMMAND = Command(
    "apt-mark",
    "put packages on hold",
    run,
    "apt-mark [OPTION]... COMMAND [PACKAGE]...",
    _OPTIONS,
    "A package on hold stays at its version when everything else is upgraded. Holding all of the driver's packages\n"
    "keeps libraries and kernel modules from drifting apart.",
    section=8,
    complete=lambda ctx, words: list(_VERBS) if len(words) < 2 else [],
)

"""apt-get 2.7 of Ubuntu 24.04: installs and upgrades packages. Texts compared with apt 2.6."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import apt_changes, apt_line
from engine.commands.linux._support.apt_line import Line
from engine.commands.options import Option

_VERBS = {
    "update": "read the lists of the archives again",
    "upgrade": "upgrade everything that can be",
    "install": "install packages, NAME=VERSION for a certain version",
    "reinstall": "install packages again",
    "remove": "remove packages",
    "purge": "remove packages with their configuration",
    "autoremove": "remove packages that nothing needs",
    "dist-upgrade": "upgrade everything, removing what is in the way",
    "full-upgrade": "the same",
    "build-dep": "install what a source package needs to be built",
    "clean": "delete fetched package files",
    "autoclean": "delete old package files",
    "check": "look for broken dependencies",
    "source": "fetch source packages",
    "download": "fetch package files",
    "changelog": "show the changes of a package",
}
Verb = Callable[[Context, Line], "int | Awaitable[int]"]


async def run(ctx: Context) -> int:
    """Do what the verb says."""
    line = apt_line.read(ctx)
    greeted = apt_line.greet(ctx, line, _VERBS, _OPTIONS)
    if greeted is not None:
        return greeted
    action = _ACTIONS.get(line.verb)
    if action is None:
        return ctx.not_modelled(f"apt-get {line.verb}")
    result = action(ctx, line)
    return result if isinstance(result, int) else await result


def _update(ctx: Context, _line: Line) -> int:
    return apt_changes.update(ctx)


def _clean(ctx: Context, _line: Line) -> int:
    apt_changes.demand_root(ctx, "/var/cache/apt/archives/lock")
    return 0


def _check(ctx: Context, _line: Line) -> int:
    apt_changes.demand_root(ctx)
    apt_changes.read_state(ctx)
    return 0


_ACTIONS: dict[str, Verb] = {
    "update": _update,
    "upgrade": apt_changes.upgrade,
    "remove": apt_changes.remove,
    "purge": apt_changes.remove,
    "dist-upgrade": apt_changes.upgrade,
    "full-upgrade": apt_changes.upgrade,
    "install": apt_changes.install,
    "clean": _clean,
    "autoclean": _clean,
    "check": _check,
}

_OPTIONS = (
    Option("y", "yes", help="ask nothing"),
    Option("s", "simulate", help="only say what would be done"),
    Option("d", "download-only", help="fetch, do not install"),
    Option("V", "verbose-versions", help="versions in the lists"),
    Option(None, "only-upgrade", help="install: do not install what is not there"),
    Option(None, "allow-downgrades", help="with -y, go to older versions"),
    Option(None, "allow-change-held-packages", help="with -y, change packages on hold"),
    Option("q", "quiet", help="less output"),
    Option("o", "option", "NAME=VALUE", help="set a configuration option"),
)

COMMAND = Command(
    "apt-get",
    "install and upgrade packages",
    run,
    "apt-get [OPTION]... COMMAND [PACKAGE]...",
    _OPTIONS,
    "Like apt, with output that scripts can rely on.",
    section=8,
    complete=lambda ctx, words: list(_VERBS) if len(words) < 2 else [],
)

"""apt 2.7 of Ubuntu 24.04: shows packages, installs and upgrades them from the site's mirror. Compared with 2.6."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import apt_changes, apt_line, apt_queries, archive
from engine.commands.linux._support.apt_line import Line, done
from engine.commands.options import Option

_VERBS = {
    "list": "list packages by name",
    "search": "search in names and summaries",
    "show": "show what is known of packages",
    "policy": "show which versions there are",
    "install": "install packages, NAME=VERSION for a certain version",
    "reinstall": "install packages again",
    "remove": "remove packages",
    "purge": "remove packages with their configuration",
    "autoremove": "remove packages that nothing needs",
    "update": "read the lists of the archives again",
    "upgrade": "upgrade everything that can be",
    "full-upgrade": "upgrade everything, removing what is in the way",
    "clean": "delete fetched package files",
    "edit-sources": "edit the list of archives",
    "depends": "show what packages need",
    "rdepends": "show what needs packages",
    "download": "fetch package files",
    "source": "fetch source packages",
}
Verb = Callable[[Context, Line], "int | Awaitable[int]"]


async def run(ctx: Context) -> int:
    """Do what the verb says."""
    line = apt_line.read(ctx, {"a": "all", "i": "installed"})
    greeted = apt_line.greet(ctx, line, _VERBS, _OPTIONS)
    if greeted is not None:
        return greeted
    await apt_line.warn_unstable(ctx)
    action = _ACTIONS.get(line.verb)
    if action is None:
        return ctx.not_modelled(f"apt {line.verb}")
    result = action(ctx, line)
    return result if isinstance(result, int) else await result


def _update(ctx: Context, _line: Line) -> int:
    status = apt_changes.update(ctx)
    ctx.line(f"Building dependency tree...{done(ctx)}\nReading state information...{done(ctx)}")
    count = len(archive.upgradable(ctx))
    if count:
        packages = "1 package can be" if count == 1 else f"{count} packages can be"
        ctx.line(f"{packages} upgraded. Run 'apt list --upgradable' to see {'it' if count == 1 else 'them'}.")
    else:
        ctx.line("All packages are up to date.")
    return status


def _clean(ctx: Context, _line: Line) -> int:
    apt_changes.demand_root(ctx, "/var/cache/apt/archives/lock")
    return 0


_ACTIONS: dict[str, Verb] = {
    "list": apt_queries.list_packages,
    "search": apt_queries.search,
    "show": apt_queries.show,
    "policy": apt_queries.policy,
    "install": apt_changes.install,
    "upgrade": apt_changes.upgrade,
    "remove": apt_changes.remove,
    "purge": apt_changes.remove,
    "full-upgrade": apt_changes.upgrade,
    "update": _update,
    "clean": _clean,
}

_OPTIONS = (
    Option("y", "yes", help="ask nothing"),
    Option("s", "simulate", help="only say what would be done"),
    Option("V", "verbose-versions", help="versions in the lists"),
    Option("a", "all-versions", help="list and show: all versions"),
    Option(None, "installed", help="list: installed packages only"),
    Option(None, "upgradable", help="list: packages of which there is a newer version"),
    Option(None, "only-upgrade", help="install: do not install what is not there"),
    Option(None, "allow-downgrades", help="with -y, go to older versions"),
    Option(None, "allow-change-held-packages", help="with -y, change packages on hold"),
    Option("q", "quiet", help="less output"),
    Option("o", "option", "NAME=VALUE", help="set a configuration option"),
)

COMMAND = Command(
    "apt",
    "show, install and upgrade packages",
    run,
    "apt [OPTION]... COMMAND [PACKAGE]...",
    _OPTIONS,
    "Packages come from the archives named in /etc/apt/sources.list.d. Installing needs root. What was done is in\n"
    "/var/log/apt/history.log and /var/log/dpkg.log.\n\n"
    "An upgrade of the NVIDIA driver changes libraries and the files of kernel modules; modules that are loaded stay\n"
    "as they are until they are loaded again.",
    section=8,
    complete=lambda ctx, words: list(_VERBS) if len(words) < 2 else [],
)

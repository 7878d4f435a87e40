"""apt-cache 2.7 of Ubuntu 24.04: shows what apt knows of packages. Texts compared with apt 2.6."""

from __future__ import annotations

from collections.abc import Callable

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import apt_line, apt_queries
from engine.commands.linux._support.apt_line import Line
from engine.commands.options import Option
from engine.control import packages

_VERBS = {
    "policy": "show which versions there are and which would be installed",
    "show": "show what is known of packages",
    "search": "search in names and summaries",
    "madison": "show versions in a table",
    "pkgnames": "list the names of all packages",
    "depends": "show what packages need",
    "rdepends": "show what needs packages",
    "showpkg": "show everything about packages",
    "showsrc": "show source packages",
    "stats": "show figures about the cache",
}
Verb = Callable[[Context, Line], int]


def run(ctx: Context) -> int:
    """Do what the verb says."""
    line = apt_line.read(ctx, {"a": "all"})
    greeted = apt_line.greet(ctx, line, _VERBS, _OPTIONS)
    if greeted is not None:
        return greeted
    action = _ACTIONS.get(line.verb)
    return action(ctx, line) if action else ctx.not_modelled(f"apt-cache {line.verb}")


def _names(ctx: Context, line: Line) -> int:
    start = line.words[0] if line.words else ""
    for name in packages.installed(ctx.world, ctx.host):
        if name.startswith(start):
            ctx.line(name)
    return 0


_ACTIONS: dict[str, Verb] = {
    "policy": apt_queries.policy,
    "show": apt_queries.show,
    "search": apt_queries.search,
    "madison": apt_queries.madison,
    "pkgnames": _names,
}

_OPTIONS = (
    Option("a", "all-versions", help="show all versions"),
    Option("n", "names-only", help="search in names alone"),
    Option("q", "quiet", help="less output"),
    Option("o", "option", "NAME=VALUE", help="set a configuration option"),
)

COMMAND = Command(
    "apt-cache",
    "show what apt knows of packages",
    run,
    "apt-cache [OPTION]... COMMAND [PACKAGE]...",
    _OPTIONS,
    "Only packages that are installed on this host are known, and those versions of them that the mirror has.",
    section=8,
    complete=lambda ctx, words: list(_VERBS) if len(words) < 2 else [],
)

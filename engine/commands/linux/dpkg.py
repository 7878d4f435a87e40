"""dpkg 1.22: queries about installed packages. Compared with dpkg 1.21. Unpacking and removing are not modelled."""

from __future__ import annotations

import re
from collections.abc import Callable

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import dpkg_database, dpkg_queries, kernel_scripts
from engine.commands.linux._support.dpkg_queries import WRONG
from engine.commands.options import Option, UsageError, option_lines
from engine.control import packages
from engine.control.packages import Configure, Hold, version_order
from engine.kernel.units import SECOND

_ACTIONS = {
    "-l": "--list", "-s": "--status", "-S": "--search", "-L": "--listfiles", "-p": "--print-avail", "-i": "--install",
    "-r": "--remove", "-P": "--purge", "-V": "--verify", "-C": "--audit", "-?": "--help", "-c": "--contents",
    "-I": "--info", "-x": "--extract", "-b": "--build",
}  # fmt: skip
_SHORT = {long: short[1] for short, long in _ACTIONS.items()}
_OTHERS = (
    "--configure", "--unpack", "--get-selections", "--set-selections", "--clear-selections", "--print-architecture",
    "--print-foreign-architectures", "--compare-versions", "--version", "--yet-to-unpack", "--add-architecture",
)  # fmt: skip
_CHANGES = {"--install": "package archive file", "--unpack": "package archive file", "--remove": "package name",
            "--purge": "package name", "--configure": "package name"}  # fmt: skip
_RELATIONS = {"lt": (-1,), "<": (-1,), "le": (-1, 0), "<=": (-1, 0), "eq": (0,), "=": (0,), "ne": (-1, 1),
              "ge": (0, 1), ">=": (0, 1), "gt": (1,), ">": (1,)}  # fmt: skip
_SETS_UP = 100 * SECOND
"""How long it takes, with building the NVIDIA modules: a guess."""

_HALF = (
    "The following packages are only half configured, probably due to problems\n"
    "configuring them the first time.  The configuration should be retried using\n"
    "dpkg --configure <package> or the configure menu option in dselect:"
)
_UNPACKED = (
    "The following packages have been unpacked but not yet configured.\n"
    "They must be configured using dpkg --configure or the configure\n"
    "menu option in dselect for them to work:"
)
_SEE = """
Type dpkg --help for the actions, and apt --help for the tool that also fetches packages.
"""


async def run(ctx: Context) -> int:
    """Do the one action that the line names."""
    action, words = _read(ctx)
    if action == "--help":
        ctx.write("\n".join(["Usage: dpkg [OPTION]... ACTION", "", *option_lines(_OPTIONS), ""]))
        return 0
    if action == "--set-selections":
        return await _set_selections(ctx)
    if action == "--list":
        return await dpkg_queries.show_list(ctx, words)
    if action in _QUERIES:
        return _QUERIES[action](ctx, words)
    if action in _CHANGES:
        return await _change(ctx, action, words)
    return ctx.not_modelled(f"dpkg {action}")


def _read(ctx: Context) -> tuple[str, list[str]]:
    action, queue = "", list(ctx.arguments)
    words: list[str] = []
    while queue:
        word = queue.pop(0)
        if word == "--":
            words += queue
            break
        if not word.startswith("-") or word == "-":
            words.append(word)
            continue
        if re.fullmatch(r"--(force|no-force|refuse|debug|root|admindir|no-pager)(-.*|=.*)?", word):
            continue
        for name in [word] if word.startswith("--") else [f"-{letter}" for letter in word[1:]]:
            action = _chosen(action, name)
    if not action:
        raise _refuse("need an action option")
    return action, words


def _chosen(before: str, name: str) -> str:
    if name in ("-D", "-B", "-E", "-G", "-R", "-a", "--pending", "--all", "--recursive"):
        return before
    action = _ACTIONS.get(name, name)
    if action not in _SHORT and action not in _OTHERS:
        raise _refuse(f"unknown option {name}")
    if before and before != action:
        new, old = (f"-{_SHORT[each]} ({each})" if each in _SHORT else f"({each})" for each in (action, before))
        raise _refuse(f"conflicting actions {new} and {old}")
    return action


def _refuse(text: str) -> UsageError:
    return UsageError(f"dpkg: error: {text}\n{_SEE}", WRONG)


async def _configure(ctx: Context, words: list[str]) -> int:
    """Set up what was left unpacked; without names (-a) everything."""
    known, waiting = dpkg_database.installed(ctx), packages.unfinished(ctx.world, ctx.host)
    for word in words:
        if word not in waiting:
            state = "already installed and configured" if word in known else "not installed"
            ctx.error(f"dpkg: error processing package {word} (--configure):\n package {word} is {state}")
            ctx.error(f"Errors were encountered while processing:\n {word}")
            return 1
    wanted = [name for name in waiting if name in (words or waiting)]
    for name in wanted:
        ctx.line(f"Setting up {name} ({known[name].version}) ...")
    if wanted:
        await ctx.sleep(_SETS_UP)
    ctx.simulation.apply(Configure(ctx.host, tuple(wanted)))
    for text in kernel_scripts.output(ctx, [(name, "", known[name].version) for name in wanted]):
        ctx.line(text)
    return 0


def _audit(ctx: Context, _words: list[str]) -> int:
    """Packages that are only partly installed, by what they lack (dpkg's texts)."""
    known = dpkg_database.installed(ctx)
    waiting = [known[name] for name in packages.unfinished(ctx.world, ctx.host)]
    for text, state in ((_HALF, "half-configured"), (_UNPACKED, "unpacked")):
        found = [package for package in waiting if dpkg_database.state(ctx, package) == state]
        if found:
            ctx.line(text)
            for package in found:
                ctx.line(f" {package.name:<20} {package.summary}")
            ctx.line("")
    return 1 if waiting else 0


async def _change(ctx: Context, action: str, words: list[str]) -> int:
    """Installing and removing: root alone, and of that only what leaves everything as it is."""
    if action != "--configure" and not words:
        raise _refuse(f"{action} needs at least one {_CHANGES[action]} argument")
    if not ctx.is_root:
        ctx.error("dpkg: error: requested operation requires superuser privilege")
        return WRONG
    if action in ("--install", "--unpack"):
        missing = [word for word in words if not ctx.files.exists(_absolute(ctx, word))]
        if missing:
            ctx.error(f"dpkg: error: cannot access archive '{missing[0]}': No such file or directory")
            return WRONG
    elif action == "--configure":
        return await _configure(ctx, words)
    elif not [word for word in words if word in dpkg_database.installed(ctx)]:
        for word in words:
            ctx.error(f"dpkg: warning: ignoring request to remove {word} which isn't installed")
        return 0
    return ctx.not_modelled(f"dpkg {action}; packages change with apt-get install NAME=VERSION")


def _absolute(ctx: Context, path: str) -> str:
    from engine.commands.linux._support import paths

    return paths.absolute(ctx, path)


def _compare(ctx: Context, words: list[str]) -> int:
    if len(words) != 3 or words[1] not in _RELATIONS:
        raise _refuse("--compare-versions takes three arguments: <version> <relation> <version>")
    first, second = version_order(words[0]), version_order(words[2])
    return 0 if (first > second) - (first < second) in _RELATIONS[words[1]] else 1


def _selections(ctx: Context, words: list[str]) -> int:
    found, _ = dpkg_database.matching(ctx, words)
    for package in found:
        name = dpkg_database.qualified(package)
        tabs = "\t" * max(1, 6 - len(name) // 8)
        ctx.line(f"{name}{tabs}{'hold' if dpkg_database.held(ctx, package) else 'install'}")
    return 0


async def _set_selections(ctx: Context) -> int:
    if not ctx.is_root:
        ctx.error("dpkg: error: required read/write access to the dpkg database directory /var/lib/dpkg")
        return WRONG
    for line in (await ctx.stdin.read()).decode("utf-8", "replace").splitlines():
        name, _, wish = line.partition(" ")
        if name in dpkg_database.installed(ctx) and wish.strip() in ("hold", "install"):
            ctx.simulation.apply(Hold(ctx.host, (name,), wish.strip() == "hold"))
    return 0


def _print(text: str) -> Callable[[Context, list[str]], int]:
    def query(ctx: Context, _words: list[str]) -> int:
        ctx.write(text)
        return 0

    return query


def _version(ctx: Context, _words: list[str]) -> int:
    ctx.line(dpkg_database.version_line(ctx))
    return 0


_QUERIES = {
    "--status": dpkg_queries.status,
    "--search": dpkg_queries.search,
    "--listfiles": dpkg_queries.list_files,
    "--print-avail": dpkg_queries.print_available,
    "--compare-versions": _compare,
    "--get-selections": _selections,
    "--print-architecture": _print("amd64\n"),
    "--print-foreign-architectures": _print(""),
    "--audit": _audit,
    "--version": _version,
}

_OPTIONS = (
    Option("l", "list", "PATTERN", optional=True, help="list installed packages in a table"),
    Option("s", "status", "PACKAGE", optional=True, help="show what is known of a package"),
    Option("S", "search", "PATTERN", help="find the package that a file came with"),
    Option("L", "listfiles", "PACKAGE", help="list the files of a package"),
    Option("p", "print-avail", "PACKAGE", help="show a package that is available"),
    Option("C", "audit", help="look for packages that are only partly installed"),
    Option("i", "install", "FILE", help="install a package from a file"),
    Option("r", "remove", "PACKAGE", help="remove a package, not its configuration"),
    Option("P", "purge", "PACKAGE", help="remove a package with its configuration"),
    Option(None, "configure", "PACKAGE", help="configure what was unpacked"),
    Option(None, "get-selections", help="list what is wanted: install or hold"),
    Option(None, "set-selections", help="read such a list"),
    Option(None, "compare-versions", "A REL B", help="compare two versions; REL is lt, le, eq, ne, ge or gt"),
    Option(None, "print-architecture", help="print the architecture"),
    Option(None, "version", help="print the version"),
)

COMMAND = Command(
    "dpkg",
    "show and change installed packages",
    run,
    "dpkg [OPTION]... ACTION",
    _OPTIONS,
    "The two letters before a name in the table say what is wanted and what is: ii is installed, hi is installed and\n"
    "on hold. A PATTERN may hold *, ? and [...]; quote it from the shell.",
)

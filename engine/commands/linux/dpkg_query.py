"""dpkg-query 1.22: queries about installed packages. Texts compared with dpkg 1.21."""

from __future__ import annotations

from collections.abc import Callable

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import dpkg_database, dpkg_queries
from engine.commands.options import Option, option_lines

Query = Callable[[Context, list[str]], int]
_ACTIONS = {"-l": "--list", "-s": "--status", "-S": "--search", "-L": "--listfiles", "-p": "--print-avail",
            "-W": "--show", "-c": "--control-path", "-?": "--help"}  # fmt: skip
_KNOWN = (*_ACTIONS.values(), "--version", "--control-list", "--control-show")
_QUERIES: dict[str, Query] = {
    "--status": dpkg_queries.status,
    "--search": dpkg_queries.search,
    "--listfiles": dpkg_queries.list_files,
    "--print-avail": dpkg_queries.print_available,
}


async def run(ctx: Context) -> int:
    """Do the one action that the line names."""
    action, form, words = _read(ctx)
    if action == "--help":
        ctx.write("\n".join(["Usage: dpkg-query [OPTION]... ACTION", "", *option_lines(_OPTIONS), ""]))
        return 0
    if action == "--version":
        ctx.line(dpkg_database.version_line(ctx).replace("package management", "query"))
        return 0
    if action == "--list":
        return await dpkg_queries.show_list(ctx, words)
    if action == "--show":
        return dpkg_queries.show(ctx, words, form)
    return _QUERIES[action](ctx, words) if action in _QUERIES else ctx.not_modelled(f"dpkg-query {action}")


def _read(ctx: Context) -> tuple[str, str, list[str]]:
    action, form, queue = "", dpkg_queries.DEFAULT_FORMAT, list(ctx.arguments)
    words: list[str] = []
    while queue:
        word = queue.pop(0)
        if not word.startswith("-"):
            words.append(word)
        elif word.startswith(("-f", "--showformat")):
            form = _form(word, queue)
        elif word.startswith(("--admindir", "--root", "--load-avail", "--no-pager")):
            continue
        else:
            for name in [word] if word.startswith("--") else [f"-{letter}" for letter in word[1:]]:
                action = _chosen(action, name)
    if not action:
        raise dpkg_queries.refuse("need an action option")
    return action, form, words


def _form(word: str, queue: list[str]) -> str:
    if word.startswith("--"):
        _, equals, value = word.partition("=")
        if not equals:
            raise dpkg_queries.refuse("--showformat option takes a value")
        return value
    if len(word) > len("-f"):
        return word[2:].removeprefix("=")
    if not queue:
        raise dpkg_queries.refuse("-f option takes a value")
    return queue.pop(0)


def _chosen(before: str, name: str) -> str:
    action = _ACTIONS.get(name, name)
    if action not in _KNOWN:
        raise dpkg_queries.refuse(f"unknown option {name}")
    if before and before != action:
        short = {long: letter for letter, long in _ACTIONS.items()}
        new, old = (f"{short[each]} ({each})" if each in short else f"({each})" for each in (action, before))
        raise dpkg_queries.refuse(f"conflicting actions {new} and {old}")
    return action


_OPTIONS = (
    Option("W", "show", "PATTERN", optional=True, help="list packages in the form of --showformat"),
    Option("l", "list", "PATTERN", optional=True, help="list packages in a table"),
    Option("s", "status", "PACKAGE", help="show what is known of a package"),
    Option("L", "listfiles", "PACKAGE", help="list the files of a package"),
    Option("S", "search", "PATTERN", help="find the package that a file came with"),
    Option("f", "showformat", "FORMAT", help="the form for -W: ${Package}, ${Version}, ${Status}, \\n, \\t"),
    Option(None, "version", help="print the version"),
)

COMMAND = Command(
    "dpkg-query",
    "query the database of installed packages",
    run,
    "dpkg-query [OPTION]... ACTION",
    _OPTIONS,
    "In a FORMAT, ${Name} stands for a field, ${Name;20} for one that is padded on the left, ${Name;-20} the right.\n"
    "Fields: Package, binary:Package, Version, Architecture, Section, Status, db:Status-Abbrev, Description.",
)

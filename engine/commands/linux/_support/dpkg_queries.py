"""The queries that dpkg passes on to dpkg-query: -l, -s, -S, -L, -p, -W (dpkg 1.22). Texts compared with dpkg 1.21."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import dpkg_database, pager
from engine.commands.options import UsageError

DEFAULT_FORMAT = "${binary:Package}\t${Version}\n"
WRONG = 2
_NEED = {
    "--listfiles": "package name",
    "--search": "file name pattern",
    "--print-avail": "package name",
    "--control-list": "package name",
}


def refuse(text: str) -> UsageError:
    """dpkg-query's own complaint about a line."""
    return UsageError(f"dpkg-query: error: {text}\n\nUse --help for help about querying packages.\n", WRONG)


def demand(action: str, words: list[str]) -> None:
    """Refuse an action that needs a word and has none."""
    if action in _NEED and not words:
        raise refuse(f"{action} needs at least one {_NEED[action]} argument")


async def show_list(ctx: Context, words: list[str]) -> int:
    """-l: the table. Status 1 if a pattern matches nothing."""
    found, missing = dpkg_database.matching(ctx, words)
    if found:
        await pager.show(ctx, dpkg_database.table(ctx, found))
    for pattern in missing:
        ctx.error(f"dpkg-query: no packages found matching {pattern}")
    return 1 if missing else 0


def show(ctx: Context, words: list[str], pattern: str = DEFAULT_FORMAT) -> int:
    """-W: each package in a form."""
    found, missing = dpkg_database.matching(ctx, words)
    ctx.write("".join(dpkg_database.shown(ctx, package, pattern) for package in found))
    for word in missing:
        ctx.error(f"dpkg-query: no packages found matching {word}")
    return 1 if missing else 0


def status(ctx: Context, words: list[str]) -> int:
    """-s: a paragraph for each package."""
    known, code = dpkg_database.installed(ctx), 0
    paragraphs = []
    for name in words or known:
        package = known.get(name.partition(":")[0])
        if package is None:
            ctx.error(f"dpkg-query: package '{name}' is not installed and no information is available")
            code = 1
        else:
            paragraphs.append("\n".join([*dpkg_database.paragraph(ctx, package), ""]))
    ctx.write("\n".join(paragraphs))
    if code:
        ctx.error("Use dpkg --info (= dpkg-deb --info) to examine archive files.")
    return code


def list_files(ctx: Context, words: list[str]) -> int:
    """-L: the files that the model knows of each package."""
    demand("--listfiles", words)
    known, code, parts = dpkg_database.installed(ctx), 0, []
    for name in words:
        package = known.get(name.partition(":")[0])
        if package is None:
            ctx.error(f"dpkg-query: package '{name}' is not installed")
            code = 1
        else:
            parts.append("\n".join(dpkg_database.listing(package)) + "\n")
    ctx.write("\n".join(parts))
    if code:
        ctx.error("Use dpkg --contents (= dpkg-deb --contents) to list archive files contents.")
    return code


def search(ctx: Context, words: list[str]) -> int:
    """-S: which packages paths came with."""
    demand("--search", words)
    code = 0
    for pattern in words:
        found = dpkg_database.owners(ctx, pattern)
        for names, path in found:
            ctx.line(f"{names}: {path}")
        if not found:
            ctx.error(f"dpkg-query: no path found matching pattern {pattern}")
            code = 1
    return code


def print_available(ctx: Context, words: list[str]) -> int:
    """-p: what dselect's list of available packages says, which apt does not keep."""
    demand("--print-avail", words)
    for name in words:
        ctx.error(f"dpkg-query: package '{name}' is not available")
    return 1

"""Installed packages as dpkg 1.22 shows them: names, the table of -l, paragraphs of -s, files. Compared with dpkg 1.21.

The model knows some files of each package, no sizes, maintainers or dependencies; those lines are left out.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence

from engine.commands.context import Context
from engine.control import packages
from engine.control.package_table import Package

_LEGEND = (
    "Desired=Unknown/Install/Remove/Purge/Hold",
    "| Status=Not/Inst/Conf-files/Unpacked/halF-conf/Half-inst/trig-aWait/Trig-pend",
    "|/ Err?=(none)/Reinst-required (Status,Err: uppercase=bad)",
)
_STATES = {"installed": "i", "half-configured": "F", "unpacked": "U"}
_WIDTHS = (14, 12, 12, 33)
_FIELD = re.compile(r"\$\{([^}]*)\}|\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
_WILD = "*?["


def installed(ctx: Context) -> Mapping[str, Package]:
    """What is installed on this host, by name."""
    return packages.installed(ctx.world, ctx.host)


def held(ctx: Context, package: Package) -> bool:
    """Whether somebody put the package on hold."""
    return package.name in packages.holds(ctx.world, ctx.host)


def state(ctx: Context, package: Package) -> str:
    """installed; or half-configured for the package at which a run broke off, unpacked for those that waited for it."""
    waiting = packages.unfinished(ctx.world, ctx.host)
    if package.name not in waiting:
        return "installed"
    return "half-configured" if package.name == waiting[0] else "unpacked"


def qualified(package: Package) -> str:
    """The name as dpkg prints it: libraries of one architecture among several bear theirs."""
    shared = package.architecture != "all" and package.section == "libs" and package.name.startswith("lib")
    return f"{package.name}:{package.architecture}" if shared else package.name


def matching(ctx: Context, patterns: Sequence[str]) -> tuple[list[Package], list[str]]:
    """Packages that match one of the patterns, and the patterns that none matches. Without patterns: everything."""
    known = installed(ctx)
    if not patterns:
        return list(known.values()), []
    names: set[str] = set()
    missing = []
    for pattern in patterns:
        name, _, architecture = pattern.partition(":")
        found = [
            package.name
            for package in known.values()
            if fnmatch.fnmatchcase(package.name, name) and architecture in ("", "any", package.architecture)
        ]
        names |= set(found)
        if not found:
            missing.append(pattern)
    return [package for name, package in known.items() if name in names], missing


def table(ctx: Context, chosen: Iterable[Package]) -> list[str]:
    """The table of -l: columns as wide as they need to be."""
    rows = [(qualified(each), each.version, each.architecture, each.summary) for each in chosen]
    marks = [f"{'h' if held(ctx, each) else 'i'}{_STATES[state(ctx, each)]}" for each in chosen]
    widths = [max([least, *(len(row[place]) for row in rows)]) for place, least in enumerate(_WIDTHS)]
    header = _cells(("Name", "Version", "Architecture", "Description"), widths)
    line = "+++-" + "-".join("=" * width for width in widths)
    body = [f"{mark}  {_cells(row, widths)}" for mark, row in zip(marks, rows, strict=True)]
    return [*_LEGEND, f"||/ {header}", line, *body]


def _cells(cells: Sequence[str], widths: Sequence[int]) -> str:
    return " ".join([*(cell.ljust(width) for cell, width in zip(cells[:-1], widths, strict=False)), cells[-1]])


def status(ctx: Context, package: Package) -> str:
    """`install ok installed`."""
    return f"{'hold' if held(ctx, package) else 'install'} ok {state(ctx, package)}"


def paragraph(ctx: Context, package: Package) -> list[str]:
    """What -s shows of a package."""
    return [
        f"Package: {package.name}",
        f"Status: {status(ctx, package)}",
        f"Section: {package.section}",
        f"Architecture: {package.architecture}",
        f"Version: {package.version}",
        f"Description: {package.summary}",
    ]


def listing(package: Package) -> list[str]:
    """The directories and files of a package, as -L lists them."""
    found: dict[str, None] = {"/.": None}
    for path in package.files:
        parts = path.strip("/").split("/")
        found |= dict.fromkeys("/" + "/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    return list(found)


def owners(ctx: Context, pattern: str) -> list[tuple[str, str]]:
    """(packages, path) of every known path that -S's pattern finds."""
    plain = not any(sign in pattern for sign in _WILD)
    wanted = pattern if pattern.startswith("/") or not plain else f"*{pattern}*"
    if plain and pattern.startswith("/"):
        wanted = pattern.rstrip("/") or "/."
    found: dict[str, list[str]] = {}
    for package in installed(ctx).values():
        for path in listing(package):
            if path == wanted or ((wanted != pattern.rstrip("/") or not plain) and fnmatch.fnmatchcase(path, wanted)):
                found.setdefault(path, []).append(qualified(package))
    return [(", ".join(names), path) for path, names in found.items()]


def shown(ctx: Context, package: Package, pattern: str) -> str:
    """A package in the form that dpkg-query --showformat asks for."""
    fields = _fields(ctx, package)

    def fill(match: re.Match[str]) -> str:
        if match[2]:
            return _ESCAPES.get(match[2], match[2])
        name, _, width = match[1].partition(";")
        value = fields.get(name.lower(), "")
        if not re.fullmatch(r"-?\d+", width):
            return value
        return value.ljust(-int(width)) if int(width) < 0 else value.rjust(int(width))

    return _FIELD.sub(fill, pattern)


def _fields(ctx: Context, package: Package) -> dict[str, str]:
    want = "hold" if held(ctx, package) else "install"
    return {
        "package": package.name,
        "binary:package": qualified(package),
        "version": package.version,
        "architecture": package.architecture,
        "section": package.section,
        "status": status(ctx, package),
        "description": package.summary,
        "binary:summary": package.summary,
        "db:status-abbrev": f"{want[0]}i ",
        "db:status-want": want,
        "db:status-status": "installed",
        "db:status-eflag": "ok",
    }


def version_line(ctx: Context) -> str:
    """What --version says first."""
    package = installed(ctx)["dpkg"]
    version = package.version.partition("ubuntu")[0]
    return f"Debian 'dpkg' package management program version {version} (amd64)."

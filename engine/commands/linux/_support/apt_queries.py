"""What apt and apt-cache show of packages: policy, show, search, list, madison (apt 2.7). Texts compared with apt 2.6.

Every package counts as installed by hand, since the model does not know which came along with others.
"""

from __future__ import annotations

import fnmatch

from engine.commands.context import Context
from engine.commands.linux._support import archive
from engine.commands.linux._support.apt_line import Line, done, refuse
from engine.commands.linux._support.patterns import PatternError, compile_pattern
from engine.control import packages
from engine.control.package_table import Package

_INSTALLED, _ARCHIVE = 100, 500


def policy(ctx: Context, line: Line) -> int:
    """Which versions there are and which would be installed."""
    if not line.words:
        return _policy_of_files(ctx)
    for name in line.words:
        package = packages.installed(ctx.world, ctx.host).get(name.partition(":")[0])
        known = archive.versions(ctx, name)
        if package is None and not known:
            continue
        current = package.version if package else "(none)"
        best = archive.candidate(ctx, package) if package else known[0]
        ctx.line(f"{name}:\n  Installed: {current}\n  Candidate: {best}\n  Version table:")
        for version in known or [current]:
            _version_lines(ctx, version, package)
    return 0


def _version_lines(ctx: Context, version: str, package: Package | None) -> None:
    sources = [(_ARCHIVE, each.index) for each in archive.archives(ctx)]
    current = package is not None and package.version == version
    if current:
        sources.append((_INSTALLED, archive.STATUS_FILE))
    ctx.line(f" {'***' if current else '   '} {version} {sources[0][0]}")
    for priority, source in sources:
        ctx.line(f"        {priority} {source}")


def _policy_of_files(ctx: Context) -> int:
    ctx.line(f"Package files:\n {_INSTALLED} {archive.STATUS_FILE}\n     release a=now")
    for each in archive.archives(ctx):
        ctx.line(f" {_ARCHIVE} {each.index}")
        ctx.line(f"     release o=Ubuntu,a={each.suite},n={each.suite},l=Ubuntu,c={each.component},b=amd64")
        ctx.line(f"     origin {each.host}")
    ctx.line("Pinned packages:")
    return 0


def show(ctx: Context, line: Line) -> int:
    """What is known of packages."""
    found = 0
    for word in line.words:
        name = word.partition("=")[0]
        package = packages.installed(ctx.world, ctx.host).get(name)
        if package is None:
            ctx.error(
                f"E: Unable to locate package {name}"
                if ctx.name == "apt-cache"
                else f"N: Unable to locate package {name}"
            )
            continue
        found += 1
        for version in archive.versions(ctx, name) if "all" in line or ctx.name == "apt-cache" else [package.version]:
            ctx.line("\n".join(_fields(ctx, package, version)) + "\n")
    if found < len(line.words) or not line.words:
        raise refuse("No packages found")
    return 0


def _fields(ctx: Context, package: Package, version: str) -> list[str]:
    lines = [f"Package: {package.name}", f"Version: {version}", f"Section: {package.section}"]
    if ctx.name == "apt-cache":
        lines.append(f"Architecture: {package.architecture}")
    elif version == package.version:
        sources = [each.index for each in archive.archives(ctx)] or [archive.STATUS_FILE]
        lines += ["APT-Manual-Installed: yes", f"APT-Sources: {sources[0]}"]
    return [*lines, f"Description: {package.summary}"]


def search(ctx: Context, line: Line) -> int:
    """Packages whose names and summaries match all patterns."""
    if not line.words:
        raise refuse("You must give at least one search pattern")
    try:
        patterns = [compile_pattern(word, ignore_case=True) for word in line.words]
    except PatternError:
        raise refuse("Regex compilation error - Invalid regular expression") from None
    if ctx.name == "apt":
        ctx.line(f"Sorting...{done(ctx)}\nFull Text Search...{done(ctx)}")
    for package in packages.installed(ctx.world, ctx.host).values():
        text = package.name if "names" in line else f"{package.name}\n{package.summary}"
        if all(pattern.search(text) for pattern in patterns):
            if ctx.name == "apt":
                ctx.line(f"{_list_line(ctx, package)}\n  {package.summary}\n")
            else:
                ctx.line(f"{package.name} - {package.summary}")
    return 0


def list_packages(ctx: Context, line: Line) -> int:
    """apt list: one line for each package that a pattern names."""
    ctx.line(f"Listing...{done(ctx)}")
    chosen = packages.installed(ctx.world, ctx.host).values()
    for package in chosen:
        named = not line.words or any(fnmatch.fnmatchcase(package.name, pattern) for pattern in line.words)
        newer = archive.candidate(ctx, package) != package.version
        if not named or ("upgradable" in line and not newer):
            continue
        if newer and ("installed" not in line or "all" in line):
            ctx.line(_upgrade_line(ctx, package))
        if not newer or "installed" in line or "all" in line:
            ctx.line(_list_line(ctx, package))
        if "all" in line:
            for version in archive.versions(ctx, package.name):
                if version not in (package.version, archive.candidate(ctx, package)):
                    ctx.line(f"{package.name}/{_suites(ctx)} {version} {package.architecture}")
            ctx.line()
    return 0


def _suites(ctx: Context) -> str:
    return ",".join(dict.fromkeys(each.suite for each in archive.archives(ctx))) or "now"


def _list_line(ctx: Context, package: Package) -> str:
    suites = _suites(ctx)
    where = "now" if suites == "now" or package.version not in archive.versions(ctx, package.name) else f"{suites},now"
    better = archive.candidate(ctx, package)
    state = "installed" if better == package.version else f"installed,upgradable to: {better}"
    state = "installed,local" if not archive.archives(ctx) else state
    return f"{package.name}/{where} {package.version} {package.architecture} [{state}]"


def _upgrade_line(ctx: Context, package: Package) -> str:
    better = archive.candidate(ctx, package)
    return f"{package.name}/{_suites(ctx)} {better} {package.architecture} [upgradable from: {package.version}]"


def madison(ctx: Context, line: Line) -> int:
    """Versions in a table."""
    for name in line.words:
        for version in archive.versions(ctx, name):
            for each in archive.archives(ctx):
                ctx.line(f"{name:>10} | {version:>10} | {each.index}")
    return 0

"""Where packages come from: /etc/apt/sources.list.d/*.sources (deb822 form), and which versions apt knows."""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.control import network, packages
from engine.control.package_table import Package
from engine.hostfs.tree import FileError

_FOLDER = "/etc/apt/sources.list.d"
STATUS_FILE = "/var/lib/dpkg/status"


@dataclass(frozen=True, slots=True)
class Archive:
    """A suite and component of a package archive."""

    uri: str
    suite: str
    component: str

    @property
    def index(self) -> str:
        """As apt names its list of packages."""
        return f"{self.uri} {self.suite}/{self.component} amd64 Packages"

    @property
    def host(self) -> str:
        """The machine that serves it."""
        return self.uri.partition("://")[2].partition("/")[0].partition(":")[0]


def archives(ctx: Context) -> list[Archive]:
    """Every archive that the host's sources name."""
    found = []
    for stanza in _stanzas(ctx):
        if "deb" in stanza.get("types", []) and "no" not in stanza.get("enabled", []):
            found += [
                Archive(uri.rstrip("/"), suite, component)
                for uri in stanza.get("uris", [])
                for suite in stanza.get("suites", [])
                for component in stanza.get("components", [])
            ]
    return found


def reachable(ctx: Context, archive: Archive) -> bool:
    """Whether the machine that serves it answers."""
    return network.owner(ctx.world, archive.host) is not None and network.reachable(ctx.world, ctx.host, archive.host)


def serves_packages(ctx: Context, host: str) -> bool:
    """Whether `host` is one that packages are fetched from."""
    return any(host in (each.host, network.resolve(ctx.world, each.host)) for each in archives(ctx))


def versions(ctx: Context, name: str) -> list[str]:
    """Versions of a package that apt knows, newest first; without an archive only the installed one."""
    if archives(ctx):
        return list(packages.available(ctx.world, ctx.host, name))
    installed = packages.installed(ctx.world, ctx.host).get(name)
    return [installed.version] if installed else []


def candidate(ctx: Context, package: Package) -> str:
    """The version that an upgrade would go to: the newest one, never an older one than is installed."""
    newest = versions(ctx, package.name)[:1] or [package.version]
    order = packages.version_order
    return newest[0] if order(newest[0]) > order(package.version) else package.version


def upgradable(ctx: Context) -> list[Package]:
    """Installed packages of which there is a newer version."""
    return [each for each in packages.installed(ctx.world, ctx.host).values() if candidate(ctx, each) != each.version]


def _stanzas(ctx: Context) -> list[dict[str, list[str]]]:
    stanzas: list[dict[str, list[str]]] = []
    for name in _names(ctx):
        for block in paths.read_or(ctx, f"{_FOLDER}/{name}").split("\n\n"):
            lines = [line.partition(":") for line in block.splitlines() if ":" in line and not line.startswith("#")]
            stanzas.append({key.strip().lower(): value.split() for key, _, value in lines})
    return stanzas


def _names(ctx: Context) -> list[str]:
    try:
        entries = paths.tree(ctx).entries(_FOLDER)
    except FileError:
        return []
    return sorted(name for name, _ in entries if name.endswith(".sources"))

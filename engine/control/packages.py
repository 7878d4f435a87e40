"""A host's packages: what is installed, what the package manager did, and upgrading (which leaves loaded modules as
they are).

Modelled on apt 2.7 and dpkg 1.22 of Ubuntu 24.04: /var/log/apt/history.log is a list of transactions, /var/log/dpkg.log
follows from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from types import MappingProxyType

from engine.control.history import upgrades
from engine.control.package_table import Package, base_packages, driver_branch, driver_package_version, upstream
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.records import PackageChange
from engine.world.world import World

__all__ = [
    "Configure",
    "Hold",
    "Package",
    "Remove",
    "Upgrade",
    "available",
    "base_packages",
    "dpkg_log",
    "driver_branch",
    "driver_family",
    "driver_package_version",
    "fabric_manager_version",
    "history",
    "holds",
    "installed",
    "lacks_subnet_manager",
    "library_version",
    "module_file_version",
    "package_of",
    "record_change",
    "unfinished",
    "upstream",
    "version_order",
]

SUBNET_MANAGER = "nvlsm"
"""The package of the subnet manager that NVSwitches of the fifth generation of NVLink need."""

_BRINGS_MODULES = ("nvidia-dkms-", "linux-image-", "linux-headers-")
"""Packages whose scripts build kernel modules or change the boot menu."""

_KERNEL_PARTS = ("linux-image-", "linux-modules-", "linux-headers-")

_FIRMWARE = re.compile(r"nvidia-firmware-(\d+)-([\d.]+)")


def installed(world: World, host: str) -> Mapping[str, Package]:
    """What is installed on `host`, by name, sorted."""
    base, changed = base_packages(world.inventory, host), world.systems[host].packages
    if not changed:
        return base
    current = {name: replace(package, version=changed.get(name) or package.version) for name, package in base.items()}
    added = {
        name: _new_package(base, name, version) for name, version in changed.items() if version and name not in base
    }
    kept = {name: package for name, package in (current | added).items() if changed.get(name, "") is not None}
    return MappingProxyType(dict(sorted(kept.items())))


def unfinished(world: World, host: str) -> tuple[str, ...]:
    """Packages that were unpacked and whose configuration broke off, in the order of their unpacking."""
    return world.systems[host].half_configured


def holds(world: World, host: str) -> tuple[str, ...]:
    """Packages that must not be changed, sorted."""
    return tuple(sorted(world.systems[host].held_packages))


def history(world: World, host: str) -> tuple[PackageChange, ...]:
    """Every transaction of the package manager since the machine was last set up, oldest first."""
    return (*upgrades.past_changes(world, host), *world.systems[host].package_history)


def package_of(world: World, host: str, path: str) -> str | None:
    """The package that `path` came with, or None."""
    return next((package.name for package in installed(world, host).values() if path in package.files), None)


def available(world: World, host: str, name: str) -> tuple[str, ...]:
    """Versions of `name` that the host's package sources offer, newest first: what the site uses and what was ever
    installed.
    """
    from engine.control.kernels import package_version

    base, mirrored = base_packages(world.inventory, host).get(name), package_version(world.inventory, name)
    known = {base.version} if base else set()
    known |= {mirrored} if mirrored else set()
    for change in history(world, host):
        known |= {
            version for upgraded, old, new in change.upgrades if upgraded == name for version in (old, new) if version
        }
    return tuple(sorted(known, key=version_order, reverse=True))


def version_order(version: str) -> tuple[tuple[int, str], ...]:
    """A sort key for versions; good for the versions of one package, not all of Debian's rules."""
    return tuple((int(digits or 0), text) for text, digits in re.findall(r"(\D*)(\d*)", version))


def driver_family(world: World, host: str) -> list[str]:
    """Installed packages that carry the NVIDIA driver's version and are upgraded together, sorted."""
    return [package.name for package in installed(world, host).values() if package.family == "driver"]


def library_version(world: World, host: str) -> str | None:
    """Version of the user-space driver libraries (libnvidia-ml.so.1, libcuda.so.1) as installed, or None."""
    return _family_version(world, host, "libnvidia-compute-")


def module_file_version(world: World, host: str) -> str | None:
    """Version of the NVIDIA kernel modules on disk, which the next loading takes, or None."""
    return _family_version(world, host, "nvidia-dkms-")


def fabric_manager_version(world: World, host: str) -> str | None:
    """Version of the installed fabric manager, or None."""
    return _family_version(world, host, "nvidia-fabricmanager-")


def lacks_subnet_manager(world: World, host: str) -> bool:
    """Whether a host's NVSwitches need a subnet manager (the fifth generation of NVLink) that is not installed."""
    return SUBNET_MANAGER in base_packages(world.inventory, host) and SUBNET_MANAGER not in installed(world, host)


def _family_version(world: World, host: str, prefix: str) -> str | None:
    base = base_packages(world.inventory, host)
    name = next((name for name in base if name.startswith(prefix)), None)
    if name is None:
        return None
    version = world.systems[host].packages.get(name, base[name].version)
    return upstream(version) if version else None


def _new_package(base: Mapping[str, Package], name: str, version: str) -> Package:
    """A package that came later: the driver's firmware of another version, or something that we know only by name."""
    like = next((package for package in base.values() if _FIRMWARE.fullmatch(package.name)), None)
    if like and (match := _FIRMWARE.fullmatch(name)):
        return replace(like, name=name, version=version, files=(f"/lib/firmware/nvidia/{match[2]}/gsp_ga10x.bin",))
    kind = next((kind for kind in _KERNEL_PARTS if name.startswith(kind)), "")
    like = next((package for package in base.values() if kind and package.name.startswith(kind)), None)
    if like is None:
        return Package(name, version, "amd64", "misc", "")
    release, before = name.removeprefix(kind), like.name.removeprefix(kind)
    summary = like.summary.replace(before.removesuffix("-generic"), release.removesuffix("-generic"))
    return replace(
        like,
        name=name,
        version=version,
        summary=summary,
        files=tuple(path.replace(before, release) for path in like.files),
    )


@dataclass(frozen=True, slots=True)
class Upgrade(Action):
    """Change installed packages whose names match the glob `pattern` to `version` (a package version, or a driver
    version such as 590.48.01).

    Packages of the driver's family go together, as their dependencies ask; held ones stay. A driver version is for
    the driver's and the fabric manager's packages only. A package of the image that was removed comes back where the
    pattern is its name. Gives the changes as (name, old, new).
    """

    host: str
    pattern: str
    version: str
    by: str
    command: str

    def perform(self, simulation: Simulation[World]) -> tuple[tuple[str, str, str], ...]:
        world = simulation.world
        packages, held = installed(world, self.host), holds(world, self.host)
        plain = "-" not in self.version
        if self.pattern not in packages and self.pattern in base_packages(world.inventory, self.host):
            back = ((self.pattern, "", self.version),)
            return record_change(simulation, self.host, back, by=self.by, command=self.command)
        names = {
            name
            for name, package in packages.items()
            if fnmatchcase(name, self.pattern) and (package.family or not plain)
        }
        if not names:
            return record_change(simulation, self.host, self._new(world), by=self.by, command=self.command)
        if any(packages[name].family == "driver" for name in names):
            names |= set(driver_family(world, self.host))
        changes = [self._change(packages[name]) for name in sorted(names - set(held))]
        changes = [(name, old, new) for name, old, new in changes if old != new]
        return record_change(simulation, self.host, tuple(dict.fromkeys(changes)), by=self.by, command=self.command)

    def _new(self, world: World) -> tuple[tuple[str, str, str], ...]:
        """A kernel's package that was not there, with what it needs."""
        from engine.control.kernels import needed_with, package_version

        there = installed(world, self.host)
        if self.version != package_version(world.inventory, self.pattern):
            return ()
        return tuple((name, "", self.version) for name in needed_with(self.pattern) if name not in there)

    def _change(self, package: Package) -> tuple[str, str, str]:
        if _FIRMWARE.fullmatch(package.name):
            version = driver_package_version(self.version)
            return f"nvidia-firmware-{driver_branch(version)}-{upstream(version)}", "", version
        version = driver_package_version(self.version) if package.family else self.version
        return package.name, package.version, version


@dataclass(frozen=True, slots=True)
class Remove(Action):
    """Remove these packages. Who takes away a part of the NVIDIA driver takes the package that stands for the whole.
    Gives the changes as (name, old, "").
    """

    host: str
    names: tuple[str, ...]
    by: str
    command: str

    def perform(self, simulation: Simulation[World]) -> tuple[tuple[str, str, str], ...]:
        there = installed(simulation.world, self.host)
        names = {name for name in self.names if name in there}
        if any(there[name].family == "driver" for name in names):
            names |= {name for name in there if name.startswith("nvidia-driver-")}
        changes = tuple((name, there[name].version, "") for name in sorted(names))
        return record_change(simulation, self.host, changes, by=self.by, command=self.command)


@dataclass(frozen=True, slots=True)
class Configure(Action):
    """dpkg --configure: end what broke off, for these packages or (empty) all. Gives those that it set up."""

    host: str
    names: tuple[str, ...] = ()

    def perform(self, simulation: Simulation[World]) -> tuple[str, ...]:
        waiting = simulation.world.systems[self.host].half_configured
        done = tuple(name for name in waiting if name in (self.names or waiting))
        left = tuple(name for name in waiting if name not in done)
        simulation.world.systems.update(self.host, half_configured=left)
        there = installed(simulation.world, self.host)
        _call_scripts(simulation, self.host, tuple((name, "", there[name].version) for name in done))
        return done


@dataclass(frozen=True, slots=True)
class Hold(Action):
    """apt-mark hold, or with `held` False unhold."""

    host: str
    packages: tuple[str, ...]
    held: bool = True

    def perform(self, simulation: Simulation[World]) -> None:
        systems = simulation.world.systems
        now = set(systems[self.host].held_packages)
        after = now | set(self.packages) if self.held else now - set(self.packages)
        systems.update(self.host, held_packages=tuple(sorted(after)))


def record_change(
    simulation: Simulation[World], host: str, changes: tuple[tuple[str, str, str], ...], *, by: str, command: str
) -> tuple[tuple[str, str, str], ...]:
    """Install `changes` (name, old version or "" for a new package, new version or "" for a removal). Gives those that
    were needed. What one command does at one time is one transaction: dpkg's lock lets no two run at once.
    """
    known = installed(simulation.world, host)
    real = tuple(change for change in changes if change[1] or change[0] not in known)
    if not real:
        return real
    state = simulation.world.systems[host]
    packages = {**state.packages, **{name: new or None for name, _, new in real}}
    base = base_packages(simulation.world.inventory, host)
    packages = {
        name: version for name, version in packages.items() if name not in base or base[name].version != version
    }
    earlier, done = state.package_history, real
    if earlier and (earlier[-1].time, earlier[-1].command, earlier[-1].requested_by) == (simulation.now, command, by):
        earlier, done = earlier[:-1], (*earlier[-1].upgrades, *real)
    change = PackageChange(simulation.now, command, by, done)
    simulation.world.systems.update(host, packages=MappingProxyType(packages), package_history=(*earlier, change))
    _call_scripts(simulation, host, real)
    return real


def _call_scripts(simulation: Simulation[World], host: str, changes: tuple[tuple[str, str, str], ...]) -> None:
    """Packages of kernels and kernel modules have scripts that do more than put files in their place."""
    if any(name.startswith(_BRINGS_MODULES) for name, _, _ in changes):
        from engine.control import dkms

        dkms.after_packages(simulation, host, changes)


def dpkg_log(world: World, host: str) -> list[tuple[int, str]]:
    """(time, line without its date) of /var/log/dpkg.log, oldest first."""
    lines = []
    for change in history(world, host):
        lines.append((change.time, "startup archives unpack"))
        lines += [
            (change.time, line)
            for name, old, new in change.upgrades
            for line in _dpkg_lines(world, host, name, old, new)
        ]
    waiting = [f" {name}:" for name in unfinished(world, host)]
    return [entry for entry in lines if not _never_came(entry, waiting, history(world, host)[-1].time)]


def _never_came(entry: tuple[int, str], waiting: list[str], last: int) -> bool:
    """Whether a line tells of the end of a configuration that broke off in the last transaction."""
    time, line = entry
    ends = line.startswith(("configure ", "status installed", "status half-configured"))
    return bool(waiting) and time == last and ends and any(name in line for name in waiting)


def _dpkg_lines(world: World, host: str, name: str, old: str, new: str) -> list[str]:
    package = base_packages(world.inventory, host).get(name)
    full = f"{name}:{package.architecture if package else 'amd64'}"
    if not new:
        return [
            f"remove {full} {old} <none>",
            f"status half-installed {full} {old}",
            f"status not-installed {full} <none>",
        ]
    verb = f"upgrade {full} {old} {new}" if old else f"install {full} <none> {new}"
    before = [f"status half-configured {full} {old}", f"status unpacked {full} {old}"] if old else []
    return [
        verb,
        *before,
        f"status half-installed {full} {old or new}",
        f"status unpacked {full} {new}",
        f"configure {full} {new} <none>",
        f"status unpacked {full} {new}",
        f"status half-configured {full} {new}",
        f"status installed {full} {new}",
    ]

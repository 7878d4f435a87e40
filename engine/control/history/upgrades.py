"""What the package manager did before the site's start: unattended upgrades of small packages, and the last driver
upgrade.

Versions of the small packages are those of Ubuntu 24.04's archive in 2024.
"""

from __future__ import annotations

from engine.control.history.past import driver_before, past_boots, serviced_at
from engine.control.package_table import base_packages, driver_package_version
from engine.kernel.random import hash64
from engine.kernel.units import DAY, MINUTE, SECOND
from engine.world.records import PackageChange
from engine.world.world import World

UNATTENDED = "/usr/bin/unattended-upgrade"

# Package -> the version before the installed one.
_BEFORE = {
    "bind9-dnsutils": "1:9.18.24-0ubuntu5",
    "bind9-host": "1:9.18.24-0ubuntu5",
    "curl": "8.5.0-2ubuntu10.5",
    "less": "590-2ubuntu2",
    "libc6": "2.39-0ubuntu8.2",
    "openssh-client": "1:9.6p1-3ubuntu13.4",
    "openssh-server": "1:9.6p1-3ubuntu13.4",
    "openssl": "3.0.13-0ubuntu3.3",
    "libssl3t64": "3.0.13-0ubuntu3.3",
    "python3": "3.12.3-0ubuntu1",
    "tzdata": "2024a-3ubuntu1",
    "vim": "2:9.1.0016-1ubuntu7.3",
    "wget": "1.21.4-1ubuntu4",
}
_TOGETHER = (
    ("openssl", "libssl3t64"),
    ("openssh-client", "openssh-server"),
    ("curl",),
    ("vim",),
    ("libc6",),
    ("bind9-dnsutils", "bind9-host"),
    ("wget",),
)
_FAMILIES = ("driver", "fabric")


def past_changes(world: World, host: str) -> tuple[PackageChange, ...]:
    """Transactions from before the site's start, oldest first."""
    boots = past_boots(world, host)
    return world.inventory.once(("past changes", world.seed, host, boots[-1].start), lambda: _past_changes(world, host))


def _past_changes(world: World, host: str) -> tuple[PackageChange, ...]:
    changes = [*_unattended(world, host), *_driver_upgrade(world, host)]
    return tuple(sorted(changes, key=lambda change: change.time))


def _unattended(world: World, host: str) -> list[PackageChange]:
    """One small transaction every few days, soon after six in the morning, each of the groups once."""
    base, boots = base_packages(world.inventory, host), past_boots(world, host)
    changes, day = [], boots[0].start // DAY + 3
    for names in _TOGETHER:
        day += 2 + hash64(world.seed, "unattended", host, names) % 3
        time = day * DAY + _six_in_the_morning(world) + hash64(world.seed, host, day) % (45 * MINUTE // SECOND) * SECOND
        upgrades = tuple((name, _BEFORE[name], base[name].version) for name in names if name in base)
        if time < boots[0].kept_from:
            changes.append(PackageChange(time, UNATTENDED, "", upgrades))
    return changes


def _six_in_the_morning(world: World) -> int:
    """Time of day (since the site's start, modulo a day) of 06:00 UTC."""
    return (6 * 60 * MINUTE - world.inventory.start) % DAY


def _driver_upgrade(world: World, host: str) -> list[PackageChange]:
    """The driver's packages went from the release before to the site's version, just before the boot that runs."""
    before, packages = driver_before(world.inventory), base_packages(world.inventory, host)
    members = [package for package in packages.values() if package.family in _FAMILIES]
    if before is None or not members:
        return []
    upgrades = tuple((p.name, _version_before(before, p.name), p.version) for p in members)
    admins = [user for user in world.inventory.users if "sudo" in user.groups]
    person = next((user for user in admins if user.name != world.inventory.learner), admins[0] if admins else None)
    by = f"{person.name} ({person.uid})" if person else ""
    branch = world.inventory.software["driver"].partition(".")[0]
    command = f"apt-get install -y nvidia-driver-{branch}-open nvidia-fabricmanager-{branch}"
    return [PackageChange(serviced_at(past_boots(world, host)), command, by, upgrades)]


def _version_before(before: str, name: str) -> str:
    """A firmware package bears its version in its name, so it was new then."""
    return "" if name.startswith("nvidia-firmware-") else driver_package_version(before)

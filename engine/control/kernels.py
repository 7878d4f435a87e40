"""The kernels of a host: which are installed, which one runs, whether their headers are there.

A kernel is the packages linux-image-RELEASE, linux-modules-RELEASE and linux-headers-RELEASE of Ubuntu; the headers are
what DKMS builds modules against. Releases that the mirror has beside the installed one, and their package versions:
those of Ubuntu 24.04's noble-updates (6.8) and its hardware enablement stack (6.17); the ABI numbers are
of real form, and not tied to dates.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.control import kernel_image, packages
from engine.world.inventory import Inventory
from engine.world.world import World

IMAGE, MODULES, HEADERS = "linux-image-", "linux-modules-", "linux-headers-"
PARTS = (IMAGE, MODULES, HEADERS)
META_PACKAGES = ("linux-image-generic", "linux-headers-generic", "linux-modules-generic")

MIRRORED: Mapping[str, str] = MappingProxyType(
    {
        "6.8.0-52-generic": "6.8.0-52.53",
        "6.8.0-55-generic": "6.8.0-55.57",
        "6.8.0-60-generic": "6.8.0-60.63",
        "6.17.0-8-generic": "6.17.0-8.8~24.04.1",
    }
)
"""Kernels that can be had from the mirror: release and package version."""


def running(world: World, host: str) -> str:
    """uname -r."""
    return kernel_image.running(world, host)


def installed(world: World, host: str) -> tuple[str, ...]:
    """Releases whose image is installed, newest first: the order of the boot menu."""
    if not world.systems[host].packages:
        return (kernel_image.release(world.inventory),)
    names = [name for name in packages.installed(world, host) if name.startswith(IMAGE) and name not in META_PACKAGES]
    releases = [name.removeprefix(IMAGE) for name in names]
    return tuple(sorted(releases, key=packages.version_order, reverse=True))


def with_modules(world: World, host: str) -> tuple[str, ...]:
    """Releases that have a directory below /lib/modules: their package of modules may outlive the image."""
    names = [name for name in packages.installed(world, host) if name.startswith(MODULES) and name not in META_PACKAGES]
    return tuple(name.removeprefix(MODULES) for name in names)


def has_headers(world: World, host: str, release: str) -> bool:
    """Whether modules can be built for a kernel."""
    return f"{HEADERS}{release}" in packages.installed(world, host)


def at_least(release: str, version: tuple[int, int]) -> bool:
    """Whether a release is of this version of Linux or a later one."""
    major, minor, *_ = (int(part) for part in release.partition("-")[0].split("."))
    return (major, minor) >= version


def needed_with(name: str) -> tuple[str, ...]:
    """A kernel's package after what it depends on: an image needs its modules."""
    return (f"{MODULES}{name.removeprefix(IMAGE)}", name) if name.startswith(IMAGE) else (name,)


def package_version(inventory: Inventory, name: str) -> str | None:
    """The version in which the mirror has a kernel's package; None for other names."""
    release = next((name.removeprefix(part) for part in PARTS if name.startswith(part)), "")
    return MIRRORED.get(release) if release != kernel_image.release(inventory) else None

"""DKMS: kernel modules that are built on the host for each kernel, by DKMS 3.0 of Ubuntu 24.04.

A module's source comes with a package (nvidia-dkms, mlnx-ofed-kernel-dkms). It is built for a kernel when the package
or the kernel's headers are installed, and cannot be without headers: the next boot into such a kernel finds no module.
One version of a module is installed for a kernel at a time; removing or upgrading the package takes the old one away
from every kernel. Modules are signed with the machine's own key (/var/lib/shim-signed/mok), as Ubuntu does. MLNX_OFED's
modules are taken as present in every kernel, built by its own scripts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.control import kernel_image, kernels, packages
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.records import ModuleBuild
from engine.world.world import World

NVIDIA, OFED = "nvidia", "mlnx-ofed-kernel"
_PACKAGE = "nvidia-dkms-"
MODULE_FILES = ("nvidia", "nvidia-modeset", "nvidia-drm", "nvidia-uvm", "nvidia-peermem")


def machine_key(host: str) -> str:
    """The name of the key that DKMS signs with (update-secureboot-policy of shim-signed)."""
    return f"{host} Secure Boot Module Signature key"


def source_version(world: World, host: str) -> str | None:
    """The version of the NVIDIA module's source that is installed, or None."""
    return packages.module_file_version(world, host)


def build(world: World, host: str, release: str) -> ModuleBuild | None:
    """What there is of the NVIDIA module for a kernel."""
    stored = world.systems[host].module_builds
    key = f"{NVIDIA}/{release}"
    if key in stored:
        return stored[key]
    usual = world.inventory.software.get("driver")
    if release != kernel_image.release(world.inventory) or usual is None or not world.node(host).gpus:
        return None
    return ModuleBuild(usual, "installed", machine_key(host))


def installed_build(world: World, host: str, release: str) -> ModuleBuild | None:
    """The build that modprobe finds, or None."""
    found = build(world, host, release)
    return found if found and found.state == "installed" else None


@dataclass(frozen=True, slots=True)
class BuildModule(Action):
    """dkms build, or with `install` dkms install: of the NVIDIA module for `release`. Gives False without headers."""

    host: str
    release: str
    install: bool = True

    def perform(self, simulation: Simulation[World]) -> bool:
        return _build(simulation, self.host, self.release, "installed" if self.install else "built")


@dataclass(frozen=True, slots=True)
class RemoveBuild(Action):
    """dkms remove (or with `uninstall` alone dkms uninstall) for these kernels."""

    host: str
    releases: tuple[str, ...]
    uninstall: bool = False

    def perform(self, simulation: Simulation[World]) -> None:
        for release in self.releases:
            before = build(simulation.world, self.host, release)
            kept = ModuleBuild(before.version, "built", before.signer) if before and self.uninstall else None
            put(simulation, self.host, release, kept)


def put(simulation: Simulation[World], host: str, release: str, made: ModuleBuild | None) -> None:
    """Set what there is of the NVIDIA module for a kernel."""
    stored: Mapping[str, ModuleBuild | None] = simulation.world.systems[host].module_builds
    simulation.world.systems.update(host, module_builds=MappingProxyType({**stored, f"{NVIDIA}/{release}": made}))


def after_packages(simulation: Simulation[World], host: str, changes: tuple[tuple[str, str, str], ...]) -> None:
    """What the packages' scripts do: a new source is built for every kernel with headers, a kernel with headers gets
    its modules, its initramfs and its place in the boot menu.
    """
    from engine.control import grub, initramfs

    world, touched = simulation.world, dict.fromkeys(_release(name) for name, _, _ in changes)
    there = kernels.installed(world, host)
    if any(name.startswith(_PACKAGE) for name, _, _ in changes):
        for release in dict.fromkeys((*there, kernels.running(world, host))):
            put(simulation, host, release, None)
            _build(simulation, host, release, "installed")
    for release in touched:
        if release in there and installed_build(world, host, release) is None:
            _build(simulation, host, release, "installed")
    images = [name for name, old, new in changes if name.startswith(kernels.IMAGE) and bool(old) != bool(new)]
    if images:
        initramfs.make(simulation, host, tuple(release for release in touched if release in there))
        grub.write_config(simulation, host)


def _release(name: str) -> str:
    return next((name.removeprefix(part) for part in kernels.PARTS if name.startswith(part)), "")


def _build(simulation: Simulation[World], host: str, release: str, state: str) -> bool:
    version = source_version(simulation.world, host)
    if version is None or not kernels.has_headers(simulation.world, host, release):
        return False
    put(simulation, host, release, ModuleBuild(version, state, machine_key(host)))
    return True

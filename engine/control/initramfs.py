"""The initramfs of each kernel: it holds the settings of modprobe as they were when it was made.

initramfs-tools 0.142: `update-initramfs -u` makes the newest kernel's again, installing a kernel makes its own. Drivers
of the buses' devices are loaded from it before the root file system is there, so that a blacklist that came later does
not count before the next `update-initramfs`.
"""

from __future__ import annotations

from types import MappingProxyType

from engine.control import kernels, modprobe_settings
from engine.control.modprobe_settings import Settings
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.world import World


def settings_text(world: World, host: str, release: str) -> str:
    """modprobe's settings in a kernel's initramfs."""
    made = world.systems[host].early_settings.get(release)
    return modprobe_settings.default_text(world.node(host)) if made is None else made


def settings(world: World, host: str, release: str) -> Settings:
    """The same, read."""
    return modprobe_settings.parse(settings_text(world, host, release))


@dataclass(frozen=True, slots=True)
class UpdateInitramfs(Action):
    """Make the initramfs of these kernels again from what /etc says now."""

    host: str
    releases: tuple[str, ...]

    def perform(self, simulation: Simulation[World]) -> None:
        make(simulation, self.host, self.releases)


def make(simulation: Simulation[World], host: str, releases: tuple[str, ...]) -> None:
    """Put the settings of now into the initramfs of these kernels; kernels that are gone lose theirs."""
    world = simulation.world
    text, there = modprobe_settings.text(world, host), kernels.installed(world, host)
    kept = {release: made for release, made in world.systems[host].early_settings.items() if release in there}
    usual = modprobe_settings.default_text(world.node(host))
    for release in releases:
        if text == usual:
            kept.pop(release, None)
        else:
            kept[release] = text
    world.systems.update(host, early_settings=MappingProxyType(kept))

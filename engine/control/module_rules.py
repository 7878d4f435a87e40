"""Whether the NVIDIA kernel modules can be loaded, and what a boot loads of them and of nouveau.

Law: a module is found if DKMS installed it for the running kernel; an `install` command of modprobe.d stands in its
place; with Secure Boot its key must be known; nvidia.ko fails if nouveau holds every GPU. At boot nvidia.ko is loaded
for its devices unless it is blacklisted, or because /etc/modules-load.d names a module that uses it; the rest of its
family follows by udev's rules. nouveau is loaded from the initramfs or the root file system unless both are told
otherwise, and takes the GPUs that it knows: Hopper and Blackwell since Linux 6.16, older ones before; not with
modeset=0.

Texts: kmod 31 (the line number in libkmod is a guess), kernel/module/signing.c of Linux 6.8, nv.c of the open kernel
modules 590.
"""

from __future__ import annotations

from types import MappingProxyType

from engine.control import dkms, initramfs, kernel_image, kernels, modprobe_settings, secure_boot
from engine.control.history.boot_driver import NO_DEVICE, UNKNOWN_KEY, UNSIGNED
from engine.control.module_table import NOUVEAU, nvidia_family
from engine.kernel.quick_dataclass import dataclass
from engine.world.world import World

MISSING, BLOCKED = "missing", "blocked"
ERRORS = MappingProxyType(
    {
        BLOCKED: "Invalid argument",
        UNSIGNED: "Key was rejected by service",
        UNKNOWN_KEY: "Key was rejected by service",
        NO_DEVICE: "No such device",
    }
)
"""What modprobe says after `could not insert 'NAME': `."""

_NEWEST_GENERATIONS = ("Hopper", "Blackwell")
_KNOWN_SINCE = (6, 16)


@dataclass(frozen=True, slots=True)
class BootOutcome:
    """What a boot loads: members of NVIDIA's family by version (None: not loaded), why nvidia.ko is not there, and
    whether nouveau is.
    """

    family: tuple[tuple[str, str | None], ...]
    refusal: str
    nouveau: bool


def refusal(world: World, host: str, module: str) -> str:
    """Why a member of NVIDIA's family cannot be loaded by its name, or ""."""
    release = kernels.running(world, host)
    build = dkms.installed_build(world, host, release)
    if build is None:
        return MISSING
    if module in modprobe_settings.settings(world, host).blocked:
        return BLOCKED
    if secure_boot.is_on(world, host) and not secure_boot.trusted(world, host, build.signer):
        return UNKNOWN_KEY if build.signer else UNSIGNED
    return ""


def why_not(world: World, host: str, module: str) -> str:
    """Why a module that is on disk is not loaded when its name is given: its own refusal, or that of nvidia.ko."""
    name = module.replace("-", "_")
    if name not in nvidia_family():
        return ""
    return refusal(world, host, name) or refusal(world, host, "nvidia") or _held_by_nouveau(world, host)


def _held_by_nouveau(world: World, host: str) -> str:
    taken = world.systems[host].modules.get(NOUVEAU) is not None and knows_gpus(world, host)
    return NO_DEVICE if taken else ""


def knows_gpus(world: World, host: str) -> bool:
    """Whether the running kernel's nouveau drives GPUs of this node's kind, if it is allowed to."""
    gpus = world.node(host).gpus
    known = bool(gpus) and (
        gpus[0].product.architecture not in _NEWEST_GENERATIONS
        or kernels.at_least(kernels.running(world, host), _KNOWN_SINCE)
    )
    return known and not _without_modeset(world, host)


def boot_outcome(world: World, host: str) -> BootOutcome:
    """What the boot that runs loads."""
    if not world.node(host).gpus:
        return BootOutcome((), "", False)
    told, named = modprobe_settings.settings(world, host), modprobe_settings.named_to_load(world, host)
    nouveau = _loads_nouveau(world, host)
    pulled = [name.replace("-", "_") for name in named if name.replace("-", "_") in nvidia_family()]
    pulled = [name for name in pulled if name not in told.blacklisted and name not in told.blocked]
    why = refusal(world, host, "nvidia")
    if not why and nouveau and knows_gpus(world, host):
        why = NO_DEVICE
    comes = not why and ("nvidia" not in told.blacklisted or bool(pulled))
    build = dkms.installed_build(world, host, kernels.running(world, host))
    version = build.version if build and comes else None
    family = []
    for name in nvidia_family():
        wanted = name in pulled if name == "nvidia_peermem" else name == "nvidia" or name not in told.blocked
        family.append((name, version if wanted else None))
    return BootOutcome(tuple(family), why, nouveau)


def _loads_nouveau(world: World, host: str) -> bool:
    release, now = kernels.running(world, host), modprobe_settings.settings(world, host)
    early = initramfs.settings(world, host, release)
    options = kernel_image.command_line(world, host).split()
    if f"modprobe.blacklist={NOUVEAU}" in options or NOUVEAU in now.blocked or NOUVEAU in early.blocked:
        return False
    return NOUVEAU not in early.blacklisted or NOUVEAU not in now.blacklisted


def _without_modeset(world: World, host: str) -> bool:
    """Whether nouveau is told to leave displays alone, in which case it registers no driver at all."""
    early = initramfs.settings(world, host, kernels.running(world, host)).options.get(NOUVEAU, ())
    return ("modeset", "0") in early or "nouveau.modeset=0" in kernel_image.command_line(world, host).split()

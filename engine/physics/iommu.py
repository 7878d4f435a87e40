"""The IOMMU: whether devices of a host reach memory through its page tables.

The kernel's options decide. DGX OS passes through (`iommu=pt`); Ubuntu's kernel translates unless it is told to pass
through or to leave the IOMMU off. The exact set of options of the image is a guess.
"""

from __future__ import annotations

from engine.world.inventory import Inventory
from engine.world.world import World

_GPU_OPTIONS = "ro iommu=pt pci=realloc=off nouveau.modeset=0 console=tty0 console=ttyS0,115200n8"
_PASS_THROUGH = frozenset({"iommu=pt", "iommu.passthrough=1", "iommu=off", "intel_iommu=off", "amd_iommu=off"})


def kernel_options(inventory: Inventory, host: str, given: str | None) -> str:
    """What the boot loader gives the kernel after its root file system: `given`, or what the host's image has."""
    if given is not None:
        return given
    return _GPU_OPTIONS if inventory.node(host).gpus else "ro"


def translates(world: World, host: str) -> bool:
    """Whether devices of the running kernel reach memory through page tables of the IOMMU."""
    return options_translate(kernel_options(world.inventory, host, world.systems[host].kernel_options))


def options_translate(options: str) -> bool:
    """Whether a kernel with these options translates."""
    return _PASS_THROUGH.isdisjoint(options.split())

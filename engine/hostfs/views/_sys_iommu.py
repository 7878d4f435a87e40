"""/sys/kernel/iommu_groups: which PCI functions stand together before the IOMMU, and in which kind of domain.

Forms: drivers/iommu/iommu.c of Linux 6.8 (`DMA-FQ` where addresses are translated with a deferred flush, `identity`
where they pass through). Each function is a group of its own here, as behind bridges with ACS; without an IOMMU there
are none.
"""

from __future__ import annotations

from functools import partial

from engine.control import kernel_image
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.views._sys_pci import listed, sysfs_path

_OFF = frozenset({"iommu=off", "intel_iommu=off", "amd_iommu=off"})


def groups(machine: Machine) -> Children:
    """One directory for each group, in the order of the addresses."""
    if not _OFF.isdisjoint(kernel_image.command_line(machine.world, machine.host).split()):
        return {}
    return {str(number): _group(device.address) for number, device in enumerate(listed(machine))}


def _group(address: str) -> Node:
    return directory(
        {
            "devices": directory(partial(_devices, address=address)),
            "reserved_regions": file("0x00000000fee00000 0x00000000feefffff msi\n", 0o444),
            "type": file(_kind),
        }
    )


def _devices(machine: Machine, address: str) -> Children:
    return {address: link(f"../../../../{sysfs_path(machine, address)}")}


def _kind(machine: Machine) -> str:
    return "DMA-FQ\n" if kernel_image.iommu_translates(machine.world, machine.host) else "identity\n"

"""/sys itself, and what of it has no file of its own: kernel settings outside /proc/sys, firmware, control groups."""

from __future__ import annotations

from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.realms import SYSFS
from engine.hostfs.views._sys_config import tree
from engine.hostfs.views._sys_iommu import groups
from engine.hostfs.views._sys_pci import sysfs_path

CONTROLLERS = "cpuset cpu io memory hugetlb pids rdma misc\n"


def _block(machine: Machine) -> Children:
    found: dict[str, Node] = {}
    for drive in machine.node.drives:
        path = f"{sysfs_path(machine, drive.address)}/nvme/{drive.name}/{drive.name}n1"
        found[f"{drive.name}n1"] = link(f"../{path}")
    return found


DIRECTORY = directory(
    {
        "block": directory(_block),
        "firmware/efi": directory({"fw_platform_size": file("64\n", 0o444)}),
        "fs/cgroup": directory({"cgroup.controllers": file(CONTROLLERS, 0o444), "system.slice": directory()}),
        "fs/pstore": directory(),
        "hypervisor": directory(),
        "kernel/config": directory(tree),
        "kernel/iommu_groups": directory(groups),
        "kernel/debug": directory(mode=0o700),
        "kernel/mm/transparent_hugepage/enabled": file("always [madvise] never\n"),
        "kernel/mm/transparent_hugepage/defrag": file("always defer defer+madvise [madvise] never\n"),
        "kernel/mm/hugepages/hugepages-2048kB/nr_hugepages": file("0\n"),
        "kernel/security": directory(),
        "power/state": file("freeze mem disk\n"),
    },
    0o555,
    realm=SYSFS,
)

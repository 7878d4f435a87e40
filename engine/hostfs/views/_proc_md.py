"""/proc/mdstat and /proc/partitions: the mirrored boot drives and the striped data drives of a DGX (drivers/md/md.c
of Linux 6.8).
"""

from __future__ import annotations

from engine.hostfs import mounts
from engine.hostfs.machine import Machine
from engine.hostfs.views._sys_nvme import BLOCK_MAJOR, number
from engine.kernel.units import KIB

CHUNK_KIB = 512


def mdstat(machine: Machine) -> str:
    """The arrays, the latest first."""
    lines = ["Personalities : [raid1] [raid0] [linear] [raid6] [raid5] [raid4] [raid10] "]
    data = mounts.data_drives(machine)
    boot = [drive.name for drive in machine.node.drives if drive.purpose == "boot"]
    if data:
        members = " ".join(f"{name}n1[{index}]" for index, name in reversed(list(enumerate(data))))
        lines += [
            f"md1 : active raid0 {members}",
            f"      {mounts.raid_bytes(machine) // KIB} blocks super 1.2 {CHUNK_KIB}k chunks",
            "      ",
        ]
    if len(boot) > 1:
        members = " ".join(f"{name}n1p2[{index}]" for index, name in reversed(list(enumerate(boot))))
        lines += [
            f"md0 : active raid1 {members}",
            f"      {mounts.root_bytes(machine) // KIB} blocks super 1.2 [{len(boot)}/{len(boot)}] [{'U' * len(boot)}]",
            "      bitmap: 2/14 pages [8KB], 65536KB chunk",
            "      ",
        ]
    return "\n".join([*lines, "unused devices: <none>", ""])


def partitions(machine: Machine) -> str:
    """Block devices with their sizes in KiB."""
    lines = ["major minor  #blocks  name", ""]
    lines += [
        f" {BLOCK_MAJOR:4d}  {number(drive):7d} {drive.bytes // KIB:10d} {drive.name}n1"
        for drive in machine.node.drives
    ]
    return "\n".join(lines) + "\n"

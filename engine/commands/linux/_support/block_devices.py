"""The block devices of a host as lsblk sees them: drives, their partitions, and the arrays that are made of them.

What hangs on what follows from the inventory's drives and the mounts: boot drives have a boot loader's partition and
one for the root file system, mirrored where there are two; data drives are striped. RAID superblocks are mdadm's 1.2.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.commands.context import Context
from engine.control import kernel_image
from engine.hostfs import mounts
from engine.hostfs.machine import Machine
from engine.world.inventory import Drive, uuid_text


@dataclass(slots=True)
class Block:
    """A block device. `drive` is set for a whole drive."""

    name: str
    kind: str
    size: int
    filesystem: str = ""
    version: str = ""
    label: str = ""
    uuid: str = ""
    mounted: str = ""
    drive: Drive | None = None
    children: list[Block] = field(default_factory=list)


def block_devices(ctx: Context) -> list[Block]:
    """The drives, with what lies on them."""
    machine = Machine(ctx.simulation, ctx.host)
    mounted = {each.source.removeprefix("/dev/"): each.target for each in mounts.mounts(machine)}
    boot = [drive for drive in machine.node.drives if drive.purpose == "boot"]
    found = []
    for drive in machine.node.drives:
        block = Block(f"{drive.name}n1", "disk", drive.bytes, drive=drive)
        if drive in boot:
            block.children = _boot_partitions(machine, drive, len(boot) > 1, mounted)
        elif drive.purpose == "data":
            block.filesystem, block.version = "linux_raid_member", "1.2"
            block.label, block.uuid = f"{machine.host}:1", _uuid(machine, "md1 array")
            block.children = [_array(machine, "md1", "raid0", mounts.raid_bytes(machine), mounted)]
        found.append(block)
    return found


def _boot_partitions(machine: Machine, drive: Drive, mirrored: bool, mounted: dict[str, str]) -> list[Block]:
    first = f"{drive.name}n1p1"
    own = mounted.get(first, "")
    efi = _uuid_in_fstab(machine, own)
    loader = Block(
        first, "part", mounts.EFI_BYTES, "vfat" if own else "", "FAT32" if own else "", "", efi if own else "", own
    )
    rest = Block(f"{drive.name}n1p2", "part", drive.bytes - mounts.EFI_BYTES - _TABLES)
    root = kernel_image.root_uuid(machine.inventory, machine.host)
    if mirrored:
        rest.filesystem, rest.version = "linux_raid_member", "1.2"
        rest.label, rest.uuid = f"{machine.host}:0", _uuid(machine, "md0 array")
        rest.children = [_array(machine, "md0", "raid1", mounts.root_bytes(machine), mounted)]
    else:
        rest.filesystem, rest.version, rest.uuid, rest.mounted = "ext4", "1.0", root, mounted.get(rest.name, "")
    return [loader, rest]


def _array(machine: Machine, name: str, level: str, size: int, mounted: dict[str, str]) -> Block:
    root = kernel_image.root_uuid(machine.inventory, machine.host)
    target = mounted.get(name, "")
    return Block(name, level, size, "ext4", "1.0", "", root if target == "/" else _uuid(machine, name), target)


def _uuid_in_fstab(machine: Machine, target: str) -> str:
    """The UUID that /etc/fstab, as installed, gives for a mount point."""
    lines = [line.split() for line in mounts.fstab(machine).splitlines()]
    return next((words[0].removeprefix("UUID=") for words in lines if target and words[1:2] == [target]), "")


def _uuid(machine: Machine, what: str) -> str:
    return uuid_text(machine.inventory.name, machine.host, what)


_TABLES = 2 * 1024 * 1024
"""What the partition table and alignment take of a drive."""

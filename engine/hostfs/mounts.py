"""What a host has mounted where: local file systems by its drives, memory file systems, and the shared directories
over NFS.

DGX OS puts the root file system on a mirror of the two boot drives and /raid on a stripe of the data drives (DGX
H100 user guide). Mount options are those of Ubuntu 24.04's systemd.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.control.files import SHARED_DIRECTORIES
from engine.control.history.boot_kernel import memory_kib
from engine.hostfs.machine import Machine
from engine.kernel.units import GIB, KIB, MIB
from engine.world.records import Container

EFI_BYTES = 512 * MIB


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of /proc/mounts. `size` is what the file system holds, in bytes (0: none)."""

    source: str
    target: str
    kind: str
    options: str
    size: int = 0


def mounts(machine: Machine) -> list[Mount]:
    """Everything mounted, in the order in which it was."""
    node = machine.node
    usable = memory_kib(node.memory_bytes)[1] * KIB
    half, tenth = (usable // part // (4 * KIB) * 4 * KIB for part in (2, 10))
    found = [
        Mount("sysfs", "/sys", "sysfs", "rw,nosuid,nodev,noexec,relatime"),
        Mount("proc", "/proc", "proc", "rw,nosuid,nodev,noexec,relatime"),
        Mount(
            "udev",
            "/dev",
            "devtmpfs",
            f"rw,nosuid,relatime,size={half // KIB}k,nr_inodes={half // (4 * KIB)},mode=755,inode64",
            half,
        ),
        Mount("devpts", "/dev/pts", "devpts", "rw,nosuid,noexec,relatime,gid=5,mode=620,ptmxmode=000"),
        Mount(
            "tmpfs", "/run", "tmpfs", f"rw,nosuid,nodev,noexec,relatime,size={tenth // KIB}k,mode=755,inode64", tenth
        ),
        Mount(root_device(machine), "/", "ext4", "rw,relatime,errors=remount-ro", root_bytes(machine)),
        Mount("tmpfs", "/dev/shm", "tmpfs", "rw,nosuid,nodev,inode64", half),
        Mount("tmpfs", "/run/lock", "tmpfs", "rw,nosuid,nodev,noexec,relatime,size=5120k,inode64", 5 * MIB),
        Mount(
            "cgroup2", "/sys/fs/cgroup", "cgroup2", "rw,nosuid,nodev,noexec,relatime,nsdelegate,memory_recursiveprot"
        ),
        Mount(f"/dev/{boot_partition(machine)}", "/boot/efi", "vfat", EFI_OPTIONS, EFI_BYTES),
    ]
    if raid_bytes(machine):
        found.append(
            Mount(
                "/dev/md1",
                "/raid",
                "ext4",
                f"rw,relatime,stripe={128 * len(data_drives(machine))}",
                raid_bytes(machine),
            )
        )
    if machine.host != machine.head:
        found += [Mount(f"{machine.head}:{path}", path, "nfs4", _nfs_options(machine)) for path in SHARED_DIRECTORIES]
    return found


def inside(machine: Machine, each: Container) -> list[Mount]:
    """What is mounted in a container of dockerd, of what holds files (a `df` in such containers)."""
    node = machine.node
    half = memory_kib(node.memory_bytes)[1] * KIB // 2 // (4 * KIB) * 4 * KIB
    own, shared = each.shm_kib * KIB, "rw,nosuid,nodev,noexec,relatime"
    memory = Mount("tmpfs", "/dev/shm", "tmpfs", "rw,nosuid,nodev,inode64", half)
    if each.ipc != "host":
        memory = Mount("shm", "/dev/shm", "tmpfs", f"{shared},size={each.shm_kib}k,inode64", own)
    device, size = root_device(machine), root_bytes(machine)
    return [
        Mount("overlay", "/", "overlay", "rw,relatime", size),
        Mount("tmpfs", "/dev", "tmpfs", "rw,nosuid,size=65536k,mode=755,inode64", 64 * MIB),
        memory,
        Mount(device, "/etc/hosts", "ext4", "rw,relatime,errors=remount-ro", size),
        *(Mount(device, target, "ext4", f"{mode},relatime", size) for _, target, mode in each.binds),
    ]


EFI_OPTIONS = "rw,relatime,fmask=0077,dmask=0077,codepage=437,iocharset=iso8859-1,shortname=mixed,errors=remount-ro"


def fstab(machine: Machine) -> str:
    """/etc/fstab, as installed."""
    from engine.control import fstab as file

    return file.usual(machine.inventory, machine.host, machine.head)


def root_device(machine: Machine) -> str:
    """The block device of the root file system."""
    boot = [drive for drive in machine.node.drives if drive.purpose == "boot"]
    return "/dev/md0" if len(boot) > 1 else f"/dev/{boot[0].name}n1p2" if boot else "/dev/sda2"


def boot_partition(machine: Machine) -> str:
    """The partition with the boot loader."""
    boot = [drive for drive in machine.node.drives if drive.purpose == "boot"]
    return f"{boot[0].name}n1p1" if boot else "sda1"


def data_drives(machine: Machine) -> list[str]:
    """Names of the drives that make up /raid."""
    return [drive.name for drive in machine.node.drives if drive.purpose == "data"]


def root_bytes(machine: Machine) -> int:
    """Size of the root file system: a boot drive without the boot loader's partition and ext4's own tables."""
    sizes = [drive.bytes for drive in machine.node.drives if drive.purpose == "boot"] or [100 * GIB]
    return (sizes[0] - EFI_BYTES) * 984 // 1000


def raid_bytes(machine: Machine) -> int:
    """Size of /raid, 0 where there is none."""
    return sum(drive.bytes for drive in machine.node.drives if drive.purpose == "data") * 992 // 1000


def _nfs_options(machine: Machine) -> str:
    own, server = address_of(machine, machine.host), address_of(machine, machine.head)
    return (
        "rw,relatime,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,timeo=600,retrans=2,sec=sys,"
        f"clientaddr={own},local_lock=none,addr={server}"
    )


def address_of(machine: Machine, host: str) -> str:
    """A host's in-band address, or its management address."""
    addresses = {address.network: address.cidr.partition("/")[0] for address in machine.inventory.node(host).addresses}
    return addresses.get("inband", addresses.get("management", "127.0.0.1"))

"""/etc/fstab at a boot: what systemd must mount before a node can come up, and what it cannot.

Law (fstab(5), systemd.mount(5), systemd-fstab-generator(8)): local-fs.target needs every line that is not `noauto`,
`nofail` or of the network; a device that is not there is waited for, 90 s by default, and then the boot ends in
emergency mode: no network, no services, a root shell on the console. A later line for the same
place counts instead of an earlier one. Modelled are devices that are not there, named by UUID, LABEL or path; wrong
types and options of file systems that are there are left out.
"""

from __future__ import annotations

from engine.control import files, kernel_image
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.inventory import Inventory, stable_hexadecimal
from engine.world.world import World

PATH = "/etc/fstab"
_ELSEWHERE = ("nfs", "nfs4", "cifs", "tmpfs", "proc", "sysfs", "none", "swap", "overlay")
_MAY_FAIL = ("nofail", "noauto", "_netdev")
_NAMES = {"UUID=": "/dev/disk/by-uuid/", "LABEL=": "/dev/disk/by-label/", "PARTUUID=": "/dev/disk/by-partuuid/"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the file: what is mounted, where, as what, with which options."""

    source: str
    target: str
    kind: str
    options: tuple[str, ...]

    @property
    def device(self) -> str:
        """The device file that stands for the source."""
        found = next((name for name in _NAMES if self.source.startswith(name)), "")
        return _NAMES[found] + self.source.removeprefix(found) if found else self.source


def usual(inventory: Inventory, host: str, head: str) -> str:
    """The file as a host was installed; `head` is who serves home directories and data."""
    root, efi = kernel_image.root_uuid(inventory, host), _efi(inventory, host)
    lines = [
        "# <file system> <mount point>   <type>  <options>       <dump>  <pass>",
        f"UUID={root} / ext4 errors=remount-ro 0 1",
        f"UUID={efi} /boot/efi vfat umask=0077 0 1",
    ]
    if any(drive.purpose == "data" for drive in inventory.node(host).drives):
        lines.append("/dev/md1 /raid ext4 defaults,nofail 0 2")
    if host != head:
        lines += [f"{head}:{path} {path} nfs4 defaults,_netdev,hard 0 0" for path in files.SHARED_DIRECTORIES]
    return "\n".join(lines) + "\n"


def head_of(inventory: Inventory) -> str:
    """The host that serves home directories."""
    names = (name for name in inventory.node_names if inventory.node(inventory.pattern(name)).role == "head")
    return next(names, inventory.login_host)


def _efi(inventory: Inventory, host: str) -> str:
    """The serial number of the boot partition."""
    number = stable_hexadecimal(8, inventory.name, host, "efi").upper()
    return f"{number[:4]}-{number[4:]}"


def entries(text: str) -> list[Entry]:
    """The lines of a file that say something, the last for each place."""
    found: dict[str, Entry] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) >= 4 and not line.lstrip().startswith("#"):
            found[words[1]] = Entry(words[0], words[1], words[2], tuple(words[3].split(",")))
    return list(found.values())


def blocking(world: World, host: str) -> list[Entry]:
    """Lines that a boot of the host would stop at. A file that nobody changed has none."""
    if not files.changed(world, host, PATH):
        return []
    there = _devices(world, host)
    return [
        each
        for each in entries(files.text(world, host, PATH, ""))
        if each.kind not in _ELSEWHERE and not set(_MAY_FAIL) & set(each.options) and each.device not in there
    ]


def comment_out(simulation: Simulation[World], host: str) -> list[Entry]:
    """Somebody puts a `#` before the lines that stop the boot. Gives those lines."""
    found = blocking(simulation.world, host)
    lines = files.text(simulation.world, host, PATH, "").splitlines()
    bad = [(each.source, each.target) for each in found]
    kept = [f"#{line}" if tuple(line.split()[:2]) in bad else line for line in lines]
    files.write(simulation, host, PATH, "".join(f"{line}\n" for line in kept).encode(), uid=0, gid=0)
    return found


def _devices(world: World, host: str) -> frozenset[str]:
    """Device files of file systems that are there, by every name that a line may give."""
    inventory = world.inventory
    found = {
        f"/dev/disk/by-uuid/{kernel_image.root_uuid(inventory, host)}",
        f"/dev/disk/by-uuid/{_efi(inventory, host)}",
        "/dev/md0",
        "/dev/md1",
        "/dev/sda1",
        "/dev/sda2",
    }
    for drive in inventory.node(host).drives:
        found |= {f"/dev/{drive.name}n1", *(f"/dev/{drive.name}n1p{number}" for number in (1, 2, 3))}
    return frozenset(found)

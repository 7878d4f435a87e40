"""The running kernel of a host: release, banner, command line, and the identifiers that belong to an installation.

Modelled on Ubuntu 24.04 with kernel 6.8.0-51-generic (banner as in its public boot logs). The command line is what DGX
OS sets for a machine with a pass-through IOMMU; that exact set of options is a guess.
"""

from __future__ import annotations

from engine.physics import iommu
from engine.world.inventory import Inventory, Node, stable_hexadecimal, uuid_text
from engine.world.world import World

_BUILDS = {
    "6.8.0-51-generic": (
        "lcy02-amd64-091",
        "#52-Ubuntu SMP PREEMPT_DYNAMIC Thu Dec  5 13:09:44 UTC 2024",
        "6.8.0-51.52-generic 6.8.12",
    ),
}
_TOOLCHAIN = "x86_64-linux-gnu-gcc-13 (Ubuntu 13.3.0-6ubuntu2~24.04) 13.3.0, GNU ld (GNU Binutils for Ubuntu) 2.42"


def release(inventory: Inventory) -> str:
    """The release that a host of the site was installed with."""
    return inventory.software.get("kernel", "6.8.0-51-generic")


def running(world: World, host: str) -> str:
    """uname -r of a host: the release that its boot loader chose."""
    return world.systems[host].kernel or release(world.inventory)


def version(name: str) -> str:
    """uname -v of a release."""
    return _build(name)[1]


def banner(name: str) -> str:
    """/proc/version_signature's long sister, the first line of a boot of a release: `Linux version ...`."""
    host, text, package = _build(name)
    return f"Linux version {name} (buildd@{host}) ({_TOOLCHAIN}) {text} (Ubuntu {package})"


def command_line(world: World, host: str) -> str:
    """/proc/cmdline."""
    return boot_command_line(world.inventory, host, world.systems[host].kernel_options, running(world, host))


def boot_command_line(inventory: Inventory, host: str, given: str | None, name: str) -> str:
    """The command line of a boot of release `name` whose loader was `given` options to hand on (None: the image's)."""
    image = f"BOOT_IMAGE=/boot/vmlinuz-{name}"
    return f"{image} root=UUID={root_uuid(inventory, host)} {options(inventory, host, given)}"


def options(inventory: Inventory, host: str, given: str | None) -> str:
    """What the boot loader gives the kernel after its root file system."""
    return iommu.kernel_options(inventory, host, given)


def iommu_translates(world: World, host: str) -> bool:
    """Whether devices of the running kernel reach memory through page tables of the IOMMU."""
    return iommu.translates(world, host)


def translates(kernel_options: str) -> bool:
    """Whether a kernel with these options has devices reach memory through page tables of the IOMMU."""
    return iommu.options_translate(kernel_options)


def root_uuid(inventory: Inventory, host: str) -> str:
    """The UUID of the root file system."""
    return uuid_text(inventory.name, host, "root file system")


def machine_id(inventory: Inventory, host: str) -> str:
    """/etc/machine-id."""
    return stable_hexadecimal(32, inventory.name, host, "machine-id")


def boot_id(world: World, host: str, start: int) -> str:
    """The id of the boot whose kernel started at `start`, 32 digits as the journal has it (/proc/.../boot_id has dashes
    in it).
    """
    return stable_hexadecimal(32, world.inventory.name, world.seed, host, "boot", start)


def cpus(node: Node) -> int:
    """Logical CPUs."""
    return node.cpu.sockets * node.cpu.cores * node.cpu.threads


def first_user_pid(node: Node) -> int:
    """The process id at which processes other than the kernel's own threads begin: it has six per CPU, and some
    hundreds beside.
    """
    return 6 * cpus(node) + 397


def _build(name: str) -> tuple[str, str, str]:
    """Build host, version text and package of the kernel; releases that are not in the table get a build of the same
    form.
    """
    if name in _BUILDS:
        return _BUILDS[name]
    base, _, abi = name.removesuffix("-generic").partition("-")
    number = int(abi) + 1 if abi.isdigit() else 1
    return "lcy02-amd64-091", f"#{number}-Ubuntu SMP PREEMPT_DYNAMIC", f"{base}-{abi}.{number}-generic {base}"

"""/boot: the installed kernel and the boot loader's partition."""

from __future__ import annotations

from engine.control import kernel_image
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory, file, link
from engine.hostfs.views._programs import BINARY


def _table(machine: Machine) -> Children:
    release = kernel_image.release(machine.inventory)
    return {
        f"vmlinuz-{release}": file(BINARY, 0o600),
        f"initrd.img-{release}": file(BINARY),
        f"System.map-{release}": file(BINARY, 0o600),
        f"config-{release}": file("# What the kernel was configured with is not modelled.\n"),
        "vmlinuz": link(f"vmlinuz-{release}"),
        "initrd.img": link(f"initrd.img-{release}"),
        "grub": directory(),
        "efi": directory({"EFI": directory(mode=0o700)}, 0o700),
    }


DIRECTORY = directory(_table, fixed=True)

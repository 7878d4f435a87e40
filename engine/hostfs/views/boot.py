"""/boot: the installed kernels and the boot loader's partition."""

from __future__ import annotations

from engine.control import grub, kernels
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.views._programs import BINARY


def _table(machine: Machine) -> Children:
    there = kernels.installed(machine.world, machine.host)
    images: dict[str, Node] = {}
    for release in there:
        images |= {
            f"vmlinuz-{release}": file(BINARY, 0o600),
            f"initrd.img-{release}": file(BINARY),
            f"System.map-{release}": file(BINARY, 0o600),
            f"config-{release}": file("# What the kernel was configured with is not modelled.\n"),
        }
    return {
        **images,
        **_links(there),
        "grub/grub.cfg": file(lambda m: grub.default_config(m.world, m.host), 0o444),
        "grub/grubenv": file(grub.environment_text({})),
        "efi": directory({"EFI": directory(mode=0o700)}, 0o700),
    }


def _links(there: tuple[str, ...]) -> dict[str, Node]:
    """vmlinuz and initrd.img lead to the newest kernel, those with .old to the one before (linux-update-symlinks)."""
    found: dict[str, Node] = {}
    for name in ("vmlinuz", "initrd.img") if there else ():
        found[name] = link(f"{name}-{there[0]}")
        found[f"{name}.old"] = link(f"{name}-{there[1] if len(there) > 1 else there[0]}")
    return found


DIRECTORY = directory(_table)

"""lsinitramfs of initramfs-tools-core 0.142: the names of what is in an initramfs. Listed are modprobe's settings and
the drivers of the machine's disks, networks and GPUs; everything else is left out.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import PLAIN, program
from engine.commands.options import Option, Parsed
from engine.control import initramfs, kernels, modprobe_settings, modules
from engine.control.module_table import module_specs

_EARLY = ("nouveau", "nvme", "nvme_core", "raid0", "raid1", "ixgbe", "ast")


def run(ctx: Context, parsed: Parsed) -> int:
    """List each archive."""
    if "long" in parsed:
        return ctx.not_modelled("lsinitramfs -l")
    if not parsed.operands:
        ctx.error("Usage: lsinitramfs [-l] INITRAMFS_FILE ...")
        return 1
    for word in parsed.operands:
        release = word.rpartition("initrd.img-")[2] or ""
        if word == "/boot/initrd.img":
            release = kernels.installed(ctx.world, ctx.host)[0]
        if release not in kernels.installed(ctx.world, ctx.host):
            ctx.error(f"Specified file could not be read: {word}")
            return 1
        for name in _names(ctx, release):
            ctx.line(name)
    return 0


def _names(ctx: Context, release: str) -> list[str]:
    settings = initramfs.settings_text(ctx.world, ctx.host, release)
    found = ["etc", "etc/modprobe.d", *(path.lstrip("/") for path in modprobe_settings.paths_in(settings))]
    folder = f"usr/lib/modules/{release}"
    own = [name for name in _EARLY if name in module_specs() and module_specs()[name].on(ctx.node)]
    return [".", *found, *sorted(f"{folder}/{modules.file_below(name)}" for name in own)]


COMMAND = program(
    "lsinitramfs",
    "list what is in an initramfs",
    run,
    suite=PLAIN,
    options=(Option("l", "long", help="(not modelled) with modes and sizes"),),
    synopsis="lsinitramfs INITRAMFS...",
    section=8,
    manual="INITRAMFS is /boot/initrd.img-RELEASE.",
)

"""update-initramfs of initramfs-tools 0.142 (Ubuntu 24.04): make the archive from which a kernel starts again."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import PLAIN, program
from engine.commands.options import Option, Parsed, UsageError
from engine.control import initramfs, kernels
from engine.kernel.units import SECOND

_TAKES = 18 * SECOND
"""How long one takes: a guess."""


async def run(ctx: Context, parsed: Parsed) -> int:
    """Make them, newest kernel first."""
    if "delete" in parsed:
        return ctx.not_modelled("update-initramfs -d")
    if "update" not in parsed and "create" not in parsed:
        raise UsageError("You must specify at least one of -c, -u, or -d.\n", 1)
    there = kernels.installed(ctx.world, ctx.host)
    wanted = parsed["kernel"] or there[0]
    releases = there if wanted == "all" else (wanted,)
    if wanted not in ("all", *there):
        ctx.error(f"update-initramfs: Generating /boot/initrd.img-{wanted}")
        ctx.error(f"WARNING: missing /lib/modules/{wanted}")
        ctx.error("Ensure all necessary drivers are built into the linux image!")
        return ctx.not_modelled("an initramfs for a kernel that is not installed")
    for release in releases:
        ctx.line(f"update-initramfs: Generating /boot/initrd.img-{release}")
        if not ctx.is_root:
            ctx.error(f"W: update-initramfs: cannot write /boot/initrd.img-{release}.new: Permission denied")
            return 1
        await ctx.sleep(_TAKES)
        ctx.simulation.apply(initramfs.UpdateInitramfs(ctx.host, (release,)))
    return 0


COMMAND = program(
    "update-initramfs",
    "make a kernel's initramfs again",
    run,
    suite=PLAIN,
    options=(
        Option("u", "update", help="make it again"),
        Option("c", "create", help="make a new one"),
        Option("d", "delete", help="(not modelled) remove it"),
        Option("k", "kernel", "RELEASE", help="of this kernel, or all; without it, of the newest"),
        Option("v", "verbose", help="say more"),
    ),
    path="/usr/sbin",
    section=8,
    manual="""
    The initramfs holds a copy of /etc/modprobe.d: a blacklist of a driver that is loaded early counts only after this
    and a reboot. Needs root.
    """,
)

"""update-grub of Ubuntu 24.04 (GRUB 2.12): writes /boot/grub/grub.cfg from /etc/default/grub."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import boot_loader
from engine.commands.linux._support.program import PLAIN, program
from engine.commands.options import Parsed
from engine.control import grub


async def run(ctx: Context, parsed: Parsed) -> int:
    """Tell what was found, and write the file."""
    boot_loader.demand_root(ctx, "grub-mkconfig: You must run this as root")
    for line in boot_loader.progress(ctx):
        ctx.error(line)
    await ctx.sleep(boot_loader.TAKES)
    ctx.simulation.apply(grub.UpdateGrub(ctx.host))
    return 0


COMMAND = program(
    "update-grub",
    "write the boot menu from the settings",
    run,
    suite=PLAIN,
    path="/usr/sbin",
    section=8,
    manual="""
    Reads /etc/default/grub, then /etc/default/grub.d/*.cfg, looks for kernels in /boot, and writes /boot/grub/grub.cfg.
    What is changed in /etc counts only after this, from the next boot on. Needs root.
    """,
)

"""grub-mkconfig of GRUB 2.12: the boot menu on standard output, or with -o in a file."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import boot_loader, paths
from engine.commands.linux._support.program import PLAIN, program
from engine.commands.options import Option, Parsed
from engine.control import grub, kernels
from engine.hostfs.tree import FileError


async def run(ctx: Context, parsed: Parsed) -> int:
    """Tell what was found on standard error, the menu where it is wanted."""
    boot_loader.demand_root(ctx, "grub-mkconfig: You must run this as root")
    for line in boot_loader.progress(ctx):
        ctx.error(line)
    await ctx.sleep(boot_loader.TAKES)
    there = kernels.installed(ctx.world, ctx.host)
    text = grub.generate(ctx.inventory, ctx.host, grub.sources(ctx.world, ctx.host), there)
    if "output" not in parsed:
        ctx.write(text)
        return 0
    place = paths.absolute(ctx, parsed["output"] or "")
    if place == grub.CONFIG:
        ctx.simulation.apply(grub.UpdateGrub(ctx.host))
        return 0
    try:
        paths.tree(ctx).write(place, text.encode())
    except FileError as error:
        ctx.error(f"/usr/sbin/grub-mkconfig: cannot create {place}.new: {error.text}")
        return 1
    return 0


COMMAND = program(
    "grub-mkconfig",
    "write a boot menu from the settings",
    run,
    suite=PLAIN,
    options=(Option("o", "output", "FILE", help="write to this file instead of standard output"),),
    path="/usr/sbin",
    section=8,
    manual="update-grub does this with -o /boot/grub/grub.cfg. Needs root.",
)

"""grub-reboot of GRUB 2.12: writes next_entry into /boot/grub/grubenv."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import boot_loader
from engine.commands.linux._support.program import PLAIN, program
from engine.commands.options import Parsed
from engine.control import grub


def run(ctx: Context, parsed: Parsed) -> int:
    """Write the variable; whether there is such an entry, only the boot will tell."""
    if len(parsed.operands) != 1:
        ctx.error("More than one menu entry?" if parsed.operands else "Menu entry not specified.")
        return 1
    boot_loader.demand_root(ctx, f"grub-editenv: error: cannot open `{grub.ENVIRONMENT}.new': Permission denied.")
    ctx.simulation.apply(grub.SetEnvironment(ctx.host, (("next_entry", parsed.operands[0]),)))
    return 0


COMMAND = program(
    "grub-reboot",
    "choose what the next boot alone takes",
    run,
    suite=PLAIN,
    synopsis="grub-reboot MENU_ENTRY",
    path="/usr/sbin",
    section=8,
    manual="MENU_ENTRY is a number, a title or an id of grub.cfg; in a submenu `1>2`. "
    "The next boot takes this entry; those after it what is usual. Needs root.",
)

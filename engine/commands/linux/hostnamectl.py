"""hostnamectl of systemd 255: the host's name, what machine it is and what runs on it."""

from __future__ import annotations

from calendar import timegm

from engine.commands.context import Context
from engine.commands.linux._support.program import SYSTEMD, program
from engine.commands.options import Option, Parsed
from engine.control import firmware, kernel_image
from engine.control.history.boot_kernel import bios_date
from engine.kernel.units import SECOND

# As systemd's time-util.h has them: a year of 365.25 days, a month of its twelfth.
_UNITS = (("y", 31_557_600), ("month", 2_629_800), ("w", 604_800), ("d", 86_400))


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the facts, or one of them."""
    verb = parsed.operands[0] if parsed.operands else "status"
    if verb == "hostname" and len(parsed.operands) == 1:
        ctx.line(ctx.host)
        return 0
    if (
        verb in ("set-hostname", "hostname", "icon-name", "chassis", "deployment", "location")
        and len(parsed.operands) > 1
    ):
        if not ctx.is_root:
            ctx.error("Could not set pretty hostname: Interactive authentication required.")
            return 1
        return ctx.not_modelled("changing a host's name")
    if verb != "status":
        ctx.error(f"Unknown command verb {verb}.")
        return 1
    for name, value in _facts(ctx):
        ctx.line(f"{name:>16}: {value}")
    return 0


def _facts(ctx: Context) -> list[tuple[str, str]]:
    node, inventory = ctx.node, ctx.inventory
    bios = firmware.bios(ctx.world, ctx.host)
    released = bios_date(bios)
    boot = kernel_image.boot_id(ctx.world, ctx.host, ctx.world.nodes[ctx.host].booted_at)
    return [
        ("Static hostname", ctx.host),
        ("Icon name", "computer-server"),
        ("Chassis", "server 🖳"),
        ("Machine ID", kernel_image.machine_id(inventory, ctx.host)),
        ("Boot ID", boot),
        ("Operating System", inventory.software.get("os", "Ubuntu")),
        ("Kernel", f"Linux {kernel_image.running(ctx.world, ctx.host)}"),
        ("Architecture", "x86-64"),
        ("Hardware Vendor", node.vendor),
        ("Hardware Model", node.product_name),
        ("Firmware Version", bios),
        ("Firmware Date", f"{released:%a %Y-%m-%d}"),
        ("Firmware Age", _age(ctx.epoch // SECOND - timegm(released.timetuple()))),
    ]


def _age(seconds: int) -> str:
    """A time span of systemd with the precision of a day: `1y 9month 1w 2d`."""
    parts = []
    for name, size in _UNITS:
        count, seconds = divmod(seconds, size)
        parts += [f"{count}{name}"] if count else []
    return " ".join(parts) or "0"


COMMAND = program(
    "hostnamectl", "show the host's name and machine", run, suite=SYSTEMD, synopsis="hostnamectl [OPTION]... [COMMAND]",
    options=(Option(None, "static", help="only the static name"), Option(None, "json", "MODE", help="as JSON")),
    manual="Changing the name is not modelled.",
)  # fmt: skip

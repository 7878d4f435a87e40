"""Going down: what reboot, poweroff, shutdown and systemctl have in common."""

from __future__ import annotations

from enum import Enum

from engine.commands.context import Context
from engine.commands.options import Option
from engine.control import boot
from engine.kernel.units import SECOND

_REFUSED = "Interactive authentication required."

POWER_OPTIONS = (
    Option(None, "halt", help="stop the machine"),
    Option("p", "poweroff", help="switch it off"),
    Option(None, "reboot", help="restart it"),
    Option("f", "force", help="without asking the services first"),
    Option("w", "wtmp-only", help="only write a record"),
    Option("d", "no-wtmp", help="write no record"),
    Option(None, "no-wall", help="tell nobody"),
)


class Going(Enum):
    """Where to."""

    REBOOT = "Reboot"
    POWER_OFF = "PowerOff"


async def go_down(ctx: Context, how: Going, after: int = 0) -> int:
    """Reboot or power off the host, after a delay. Only root may."""
    if not ctx.is_root:
        ctx.error(f"Failed to set wall message, ignoring: {_REFUSED}")
        ctx.error(f"Call to {how.value} failed: {_REFUSED}")
        return 1
    if after:
        await ctx.sleep(after)
    by = ctx.environment.get("SUDO_USER") or ctx.identity.name
    ctx.simulation.apply(boot.Reboot(ctx.host, by) if how is Going.REBOOT else boot.PowerOff(ctx.host, by))
    await ctx.sleep(SECOND)
    return 0

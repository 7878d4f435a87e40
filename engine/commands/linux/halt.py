"""halt of systemd 255; on these machines it switches the power off too, as poweroff does."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.power import POWER_OPTIONS, Going, go_down
from engine.commands.linux._support.program import SYSTEMD, program
from engine.commands.options import Parsed


async def run(ctx: Context, parsed: Parsed) -> int:
    """Go down."""
    if "wtmp_only" in parsed:
        return 0
    return await go_down(ctx, Going.REBOOT if "reboot" in parsed else Going.POWER_OFF)


COMMAND = program(
    "halt", "stop the host", run, suite=SYSTEMD, options=POWER_OPTIONS, path="/usr/sbin", section=8,
    manual="The same as poweroff.",
)  # fmt: skip

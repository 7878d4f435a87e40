"""poweroff of systemd 255: shut the host down and switch it off. Root only."""

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
    "poweroff", "switch the host off", run, suite=SYSTEMD, options=POWER_OPTIONS, path="/usr/sbin", section=8,
    manual="To switch it on again: `ipmitool ... chassis power on` to its BMC, or somebody in the machine room.",
)  # fmt: skip

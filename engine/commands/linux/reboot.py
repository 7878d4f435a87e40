"""reboot of systemd 255: restart the host, warm. Root only."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.power import POWER_OPTIONS, Going, go_down
from engine.commands.linux._support.program import SYSTEMD, program
from engine.commands.options import Parsed


async def run(ctx: Context, parsed: Parsed) -> int:
    """Go down and come up again."""
    if "wtmp_only" in parsed:
        return 0
    return await go_down(ctx, Going.POWER_OFF if "poweroff" in parsed or "halt" in parsed else Going.REBOOT)


COMMAND = program(
    "reboot", "restart the host", run, suite=SYSTEMD, options=POWER_OPTIONS, path="/usr/sbin", section=8,
    manual="A warm restart: devices lost from the bus may need a power cut (`ipmitool chassis power cycle`).",
)  # fmt: skip

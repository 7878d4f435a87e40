"""shutdown of systemd 255: go down now or in a while. A scheduled one waits in the foreground here; `-c` therefore
finds nothing.
"""

from __future__ import annotations

import re

from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.power import Going, go_down
from engine.commands.linux._support.program import SYSTEMD, program
from engine.commands.options import Option, Parsed, UsageError
from engine.kernel.calendar import epoch_of, local
from engine.kernel.units import DAY, MINUTE


async def run(ctx: Context, parsed: Parsed) -> int:
    """Go down at the time asked for."""
    if "cancel" in parsed:
        return 0
    after = _delay(ctx, parsed.operands[0] if parsed.operands else "+1")
    how = Going.REBOOT if "reboot" in parsed else Going.POWER_OFF
    if "wall_only" in parsed:
        return 0
    if after and ctx.is_root:
        when = clock.shown(ctx, ctx.epoch + after, "%a %Y-%m-%d %H:%M:%S %Z")
        what = "Reboot" if how is Going.REBOOT else "Shutdown"
        ctx.error(f"{what} scheduled for {when}, use 'shutdown -c' to cancel.")
    return await go_down(ctx, how, after)


def _delay(ctx: Context, text: str) -> int:
    if text == "now":
        return 0
    if re.fullmatch(r"\+?\d+", text):
        return int(text) * MINUTE
    match = re.fullmatch(r"(\d{1,2}):(\d{2})", text)
    if not match or int(match[1]) > 23 or int(match[2]) > 59:
        raise UsageError(f"Failed to parse time specification: {text}\n")
    zone = clock.timezone(ctx)
    then = local(zone, ctx.epoch).replace(hour=int(match[1]), minute=int(match[2]), second=0, microsecond=0)
    delay = epoch_of(zone, then.replace(tzinfo=None)) - ctx.epoch
    return delay if delay > 0 else delay + DAY


COMMAND = program(
    "shutdown",
    "shut the host down",
    run,
    suite=SYSTEMD,
    synopsis="shutdown [OPTION]... [TIME] [MESSAGE]",
    options=(
        Option("H", "halt", help="stop the machine"),
        Option("P", "poweroff", help="switch it off, as is usual"),
        Option("r", "reboot", help="restart it"),
        Option("h", None, name="poweroff", help="switch it off"),
        Option("k", None, name="wall_only", help="only tell everybody"),
        Option(None, "no-wall", help="tell nobody"),
        Option("c", None, name="cancel", help="cancel one that is scheduled"),
        Option(None, "show", help="show one that is scheduled"),
    ),
    path="/usr/sbin",
    section=8,
    manual="TIME is `now`, `+MINUTES` or `HH:MM`; one minute from now if it is not given.",
)

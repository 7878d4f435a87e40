"""timedatectl of systemd 255, in a first form: the host's clock, its zone, and whether it is kept in time."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import SYSTEMD, program
from engine.commands.linux._support.strftime import Moment, format_time, zone_offset
from engine.commands.options import Option, Parsed
from engine.control import host_clock, systemd
from engine.kernel.calendar import zone_names


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the facts, or do what the verb says."""
    verb = parsed.operands[0] if parsed.operands else "status"
    if verb == "list-timezones":
        for name in sorted(zone_names()):
            ctx.line(name)
        return 0
    if verb == "set-ntp" and ctx.is_root and parsed.operands[1:] in (["true"], ["yes"], ["1"], ["on"]):
        ctx.simulation.apply(systemd.EnableUnit(ctx.host, "chrony", ctx.identity.name))
        ctx.simulation.apply(systemd.StartUnit(ctx.host, "chrony", ctx.identity.name))
        return 0
    if verb in ("set-time", "set-timezone", "set-local-rtc", "set-ntp"):
        if not ctx.is_root:
            what = {
                "set-time": "set time",
                "set-timezone": "set time zone",
                "set-local-rtc": "set local RTC",
                "set-ntp": "set ntp",
            }[verb]
            ctx.error(f"Failed to {what}: Interactive authentication required.")
            return 1
        return ctx.not_modelled(f"timedatectl {verb}")
    if verb in ("show", "timesync-status", "show-timesync"):
        return ctx.not_modelled(f"timedatectl {verb}")
    if verb != "status":
        ctx.error(f"Unknown command verb {verb}.")
        return 1
    zone = ctx.inventory.timezone
    here, universal = Moment(ctx.epoch, zone), Moment(ctx.epoch, "Etc/UTC")
    kept = "active" if systemd.is_active(ctx.world, ctx.host, "chrony") else "inactive"
    right = kept == "active" and not host_clock.offset(ctx.world, ctx.host, ctx.now)
    pattern = "%a %Y-%m-%d %H:%M:%S"
    rows = [
        ("Local time", format_time(here, f"{pattern} %Z")),
        ("Universal time", format_time(universal, f"{pattern} UTC")),
        ("RTC time", format_time(universal, pattern)),
        ("Time zone", f"{zone} ({format_time(here, '%Z')}, {zone_offset(here.clock)})"),
        ("System clock synchronized", "yes" if right else "no"),
        ("NTP service", kept),
        ("RTC in local TZ", "no"),
    ]
    for name, value in rows:
        ctx.line(f"{name:>25}: {value}")
    return 0


COMMAND = program(
    "timedatectl", "show the host's clock and time zone", run, suite=SYSTEMD,
    synopsis="timedatectl [OPTION]... [COMMAND]",
    options=(Option(None, "no-pager", help="not through a pager"), Option("a", "all", help="everything")),
    manual="Clocks are kept by chrony (`systemctl status chrony`). Setting them is not modelled.",
)  # fmt: skip

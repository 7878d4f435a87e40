"""uptime of procps-ng 4.0.4: how long the kernel has run, who is logged in, load averages."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.program import PROCPS, program
from engine.commands.options import Option, Parsed
from engine.control import boot, logins, processes
from engine.kernel.units import DAY, HOUR, MINUTE


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the line, or one of its parts."""
    up = boot.uptime(ctx.world, ctx.host, ctx.now)
    if "since" in parsed:
        ctx.line(clock.shown(ctx, ctx.epoch - up, "%Y-%m-%d %H:%M:%S"))
    elif "pretty" in parsed:
        ctx.line("up " + _pretty(up))
    else:
        ctx.line(line(ctx))
    return 0


def line(ctx: Context) -> str:
    """The whole line, as `w` and `top` have it too."""
    users = len(logins.sessions(ctx.world, ctx.host))
    up = _short(boot.uptime(ctx.world, ctx.host, ctx.now))
    averages = ", ".join(hundredths(value) for value in processes.load_average(ctx.world, ctx.host, ctx.now))
    now = clock.shown(ctx, ctx.epoch, "%H:%M:%S")
    return f" {now} up {up}, {users:2d} {'users' if users > 1 else 'user'},  load average: {averages}"


def hundredths(value: int) -> str:
    """A load average."""
    return f"{value // 100}.{value % 100:02d}"


def _short(up: int) -> str:
    days, hours, minutes = up // DAY, up % DAY // HOUR, up % HOUR // MINUTE
    start = f"{days} {'day' if days == 1 else 'days'}, " if days else ""
    return start + (f"{hours:2d}:{minutes:02d}" if hours else f"{minutes} min")


def _pretty(up: int) -> str:
    units = (("year", 365 * DAY), ("week", 7 * DAY), ("day", DAY), ("hour", HOUR), ("minute", MINUTE))
    parts = []
    for name, unit in units:
        count, up = divmod(up, unit)
        if count:
            parts.append(f"{count} {name}{'' if count == 1 else 's'}")
    return ", ".join(parts) or "0 minutes"


COMMAND = program(
    "uptime",
    "tell how long the system has been running",
    run,
    suite=PROCPS,
    options=(
        Option("p", "pretty", help="in words"),
        Option("s", "since", help="since when"),
    ),
    manual="""
    Prints the time, how long the kernel has run, how many people are logged in, and the mean number of tasks that
    wanted to run over the last 1, 5 and 15 minutes.
    """,
)

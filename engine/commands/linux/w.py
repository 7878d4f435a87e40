"""w of procps-ng 4.0.4: who is logged in and what they do. How long somebody has been idle is not modelled and shown
as 0.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.program import PROCPS, program
from engine.commands.linux.uptime import line
from engine.commands.options import Option, Parsed
from engine.control import logins, processes
from engine.kernel.units import DAY
from engine.world.records import Login, Process

_HEADER = "USER     TTY      FROM             LOGIN@   IDLE   JCPU   PCPU WHAT"
_SHORT_HEADER = "USER     TTY      FROM              IDLE WHAT"


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the load and the sessions."""
    if "no_header" not in parsed:
        ctx.line(line(ctx))
        ctx.line(_SHORT_HEADER if "short" in parsed else _HEADER)
    running = processes.processes(ctx.world, ctx.host)
    for login in logins.sessions(ctx.world, ctx.host):
        if login.terminal != "notty" and (not parsed.operands or login.user in parsed.operands):
            ctx.line(_row(ctx, parsed, login, running))
    return 0


def _row(ctx: Context, parsed: Parsed, login: Login, running: list[Process]) -> str:
    epoch = ctx.epoch_at(login.start)
    since = clock.shown(ctx, epoch, "%H:%M" if ctx.epoch - epoch < DAY else "%a%H")
    own = [process.command for process in running if process.terminal == login.terminal]
    start = f"{login.user[:8]:<8} {login.terminal[:8]:<8} {login.source[:16]:<16}"
    if "short" in parsed:
        return f"{start}  0.00s {own[-1] if own else '-'}"
    return f"{start} {since:<7}  0.00s  0.00s  0.00s {own[-1] if own else '-'}"


COMMAND = program(
    "w",
    "show who is logged in and what they do",
    run,
    suite=PROCPS,
    synopsis="w [OPTION]... [USER]...",
    options=(
        Option("h", "no-header", help="no header"),
        Option("u", "no-current", help="ignored"),
        Option("s", "short", help="without times"),
        Option("f", "from", help="ignored"),
        Option("o", "old-style", help="ignored"),
        Option("i", "ip-addr", help="addresses, not names"),
        Option("p", "pids", help="ignored"),
    ),
    manual="The first line is that of uptime. Logins without a terminal are left out.",
)

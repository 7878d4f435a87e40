"""who of GNU coreutils 9.4: the sessions that last, from utmp. Idle times are not modelled."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import clock, gnu
from engine.commands.linux._support.program import program
from engine.commands.options import Option, Parsed
from engine.control import logins
from engine.world.records import Login


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the sessions."""
    if len(parsed.operands) > 2:
        raise gnu.extra_operand(ctx, parsed.operands[2])
    found = [login for login in logins.sessions(ctx.world, ctx.host) if login.terminal != "notty"]
    if "count" in parsed:
        ctx.line(" ".join(login.user for login in found))
        ctx.line(f"# users={len(found)}")
        return 0
    everything = "all" in parsed
    if "heading" in parsed:
        ctx.line("NAME     LINE         TIME             COMMENT")
    if "boot" in parsed or everything:
        booted = ctx.epoch_at(ctx.world.nodes[ctx.host].booted_at)
        ctx.line(f"         system boot  {_time(ctx, booted)}")
    if "runlevel" in parsed or everything:
        booted = ctx.epoch_at(ctx.world.nodes[ctx.host].booted_at)
        ctx.line(f"         run-level 5  {_time(ctx, booted)}")
    if not ({"boot", "runlevel"} & {key for key, _ in parsed.given}) or everything or "users" in parsed:
        for login in found:
            ctx.line(_line(ctx, parsed, login))
    return 0


def _line(ctx: Context, parsed: Parsed, login: Login) -> str:
    mark = "+ " if "message" in parsed or "all" in parsed else ""
    when = _time(ctx, ctx.epoch_at(login.start))
    return f"{login.user:<8} {mark}{login.terminal:<12} {when} ({login.source})"


def _time(ctx: Context, epoch: int) -> str:
    return clock.shown(ctx, epoch, "%Y-%m-%d %H:%M")


COMMAND = program(
    "who",
    "show who is logged in",
    run,
    synopsis="who [OPTION]... [am i]",
    options=(
        Option("a", "all", help="everything"),
        Option("b", "boot", help="when the system booted"),
        Option("d", "dead", help="ended processes"),
        Option("H", "heading", help="with a header"),
        Option("l", "login", help="login processes"),
        Option("m", None, name="self", help="only this terminal"),
        Option("q", "count", help="only names and how many"),
        Option("r", "runlevel", help="the runlevel"),
        Option("s", "short", help="names, lines and times, as is usual"),
        Option("T", "mesg", name="message", help="with whether messages are taken"),
        Option("w", None, name="message", help="the same"),
        Option("u", "users", help="the sessions"),
    ),
    manual="Lists logins with a terminal: name, terminal, since when, and from where.",
)

"""users of GNU coreutils 9.4."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import program
from engine.commands.options import Parsed
from engine.control import logins


def run(ctx: Context, parsed: Parsed) -> int:
    """Print who is logged in, once for each session."""
    names = sorted(login.user for login in logins.sessions(ctx.world, ctx.host) if login.terminal != "notty")
    if names:
        ctx.line(" ".join(names))
    return 0


COMMAND = program("users", "print who is logged in", run, manual="One name for each session, on one line.")

"""logname of GNU coreutils 9.4: the name that the session was logged in with, which sudo and su do not change."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.gnu import extra_operand
from engine.commands.linux._support.program import program
from engine.commands.options import Parsed


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the login name."""
    if parsed.operands:
        raise extra_operand(ctx, parsed.operands[0])
    ctx.line(ctx.environment.get("SUDO_USER") or ctx.identity.name)
    return 0


COMMAND = program("logname", "print the name of the login", run, manual="The name under which the session began.")

"""whoami of GNU coreutils 9.4."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.gnu import extra_operand
from engine.commands.linux._support.program import program
from engine.commands.options import Parsed


def run(ctx: Context, parsed: Parsed) -> int:
    """Print who this process runs as."""
    if parsed.operands:
        raise extra_operand(ctx, parsed.operands[0])
    ctx.line(ctx.identity.name)
    return 0


COMMAND = program("whoami", "print the effective user's name", run, manual="The same as id -un.")

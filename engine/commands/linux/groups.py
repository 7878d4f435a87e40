"""groups of GNU coreutils 9.4."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import program
from engine.commands.linux._support.words import word
from engine.commands.linux.id import find, groups_of
from engine.commands.options import Parsed


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the names of groups, of oneself or of each user asked about."""
    if not parsed.operands:
        ctx.line(" ".join(name for _, name in groups_of(ctx, ctx.identity)))
        return 0
    status = 0
    for name in parsed.operands:
        who = find(ctx, name)
        if who is None:
            ctx.error(f"groups: {word(ctx.environment, name)}: no such user")
            status = 1
        else:
            ctx.line(f"{name} : " + " ".join(group for _, group in groups_of(ctx, who)))
    return status


COMMAND = program(
    "groups", "print the groups a user is in", run, synopsis="groups [OPTION]... [USERNAME]...",
    manual="The same as id -Gn.",
)  # fmt: skip

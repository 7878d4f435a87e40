"""chgrp of GNU coreutils 9.4. Texts compared with coreutils 9.1's."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import gnu, ownership, paths
from engine.commands.linux._support.program import program
from engine.commands.linux._support.words import word
from engine.commands.options import Parsed, UsageError


def run(ctx: Context, parsed: Parsed) -> int:
    """Change the group of the operands."""
    operands = list(parsed.operands)
    if "reference" in parsed:
        gid: int | None = paths.look(ctx, parsed["reference"]).gid
    else:
        if not operands:
            raise gnu.missing_operand(ctx)
        text = operands.pop(0)
        if not operands:
            raise gnu.missing_operand(ctx, text)
        gid = ownership.group_id(ctx, text)
        if gid is None:
            raise UsageError(f"chgrp: invalid group: {word(ctx.environment, text)}\n")
    if not operands:
        raise gnu.missing_operand(ctx)
    wish = ownership.Wish(None, gid, "group", "changing group of")
    return ownership.change_all(ctx, parsed, wish, operands)


COMMAND = program(
    "chgrp",
    "change the group",
    run,
    synopsis="chgrp [OPTION]... GROUP FILE...",
    options=ownership.OPTIONS,
    manual="The owner may choose one of the owner's own groups, root any.",
)

"""chown of GNU coreutils 9.4. Texts compared with coreutils 9.1's."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import gnu, ownership, paths
from engine.commands.linux._support.program import program
from engine.commands.linux._support.words import word
from engine.commands.options import Option, Parsed, UsageError


def run(ctx: Context, parsed: Parsed) -> int:
    """Change owner and group of the operands."""
    operands = list(parsed.operands)
    if "reference" in parsed:
        like = paths.look(ctx, parsed["reference"])
        wish = ownership.Wish(like.uid, like.gid, "ownership", "changing ownership of")
    else:
        if not operands:
            raise gnu.missing_operand(ctx)
        text = operands.pop(0)
        if not operands:
            raise gnu.missing_operand(ctx, text)
        wish = _wish(ctx, text)
    if not operands:
        raise gnu.missing_operand(ctx)
    return ownership.change_all(ctx, parsed, wish, operands)


def _wish(ctx: Context, text: str) -> ownership.Wish:
    user, colon, group = text.partition(":")
    uid = ownership.user_id(ctx, user) if user else None
    if user and uid is None:
        raise UsageError(f"chown: invalid user: {word(ctx.environment, text)}\n")
    gid = ownership.group_id(ctx, group) if group else None
    if group and gid is None:
        raise UsageError(f"chown: invalid group: {word(ctx.environment, text)}\n")
    if colon and not group and uid is not None:
        gid = ownership.own_group(ctx, uid)
    return ownership.Wish(uid, gid, "ownership", "changing ownership of")


COMMAND = program(
    "chown",
    "change owner and group",
    run,
    synopsis="chown [OPTION]... [OWNER][:[GROUP]] FILE...",
    options=(*ownership.OPTIONS, Option(None, "from", "OWNER:GROUP", help="only where these are the present ones")),
    manual="""
    OWNER: means OWNER and its login group, :GROUP the group alone. Only root may give a file away; its owner may give
    it to another of the owner's own groups.
    """,
)

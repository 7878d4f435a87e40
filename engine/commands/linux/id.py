"""id of GNU coreutils 9.4. Texts compared with coreutils 9.1's."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import program
from engine.commands.linux._support.words import word
from engine.commands.options import Option, Parsed
from engine.control.accounts import Identity, accounts, group_ids, identity
from engine.kernel.errors import BreakfixError


def run(ctx: Context, parsed: Parsed) -> int:
    """Print one line for each user asked about, or for oneself."""
    chosen = [key for key in ("user", "group", "groups") if key in parsed]
    if len(chosen) > 1:
        ctx.error('id: cannot print "only" of more than one choice')
        return 1
    if not chosen and ("name" in parsed or "real" in parsed):
        ctx.error("id: cannot print only names or real IDs in default format")
        return 1
    status = 0
    for name in parsed.operands or [""]:
        who = find(ctx, name) if name else ctx.identity
        if who is None:
            ctx.error(f"id: {word(ctx.environment, name)}: no such user")
            status = 1
        else:
            ctx.write(_text(ctx, who, chosen[0] if chosen else "", parsed) + ("\0" if "zero" in parsed else "\n"))
    return status


def find(ctx: Context, name: str) -> Identity | None:
    """The account with this name or uid, or None."""
    names = {str(account.uid): account.name for account in accounts(ctx.inventory)}
    try:
        return identity(ctx.inventory, names.get(name, name))
    except BreakfixError:
        return None


def groups_of(ctx: Context, who: Identity) -> list[tuple[int, str]]:
    """(gid, name) of all groups: the own one first, the others in /etc/group's order."""
    ids = group_ids(ctx.inventory)
    own = [(who.gid, next((name for name, number in ids.items() if number == who.gid), str(who.gid)))]
    return own + [(ids[name], name) for name in ids if name in who.group_names and ids[name] != who.gid]


def _text(ctx: Context, who: Identity, chosen: str, parsed: Parsed) -> str:
    groups = groups_of(ctx, who)
    names = "name" in parsed
    if chosen == "user":
        return who.name if names else str(who.uid)
    if chosen == "group":
        return groups[0][1] if names else str(who.gid)
    if chosen == "groups":
        return ("\0" if "zero" in parsed else " ").join(name if names else str(number) for number, name in groups)
    listed = ",".join(f"{number}({name})" for number, name in groups)
    return f"uid={who.uid}({who.name}) gid={who.gid}({groups[0][1]}) groups={listed}"


COMMAND = program(
    "id",
    "print user and group ids",
    run,
    synopsis="id [OPTION]... [USER]...",
    options=(
        Option("a", None, help="ignored, for compatibility"),
        Option("g", "group", help="only the effective group id"),
        Option("G", "groups", help="only all group ids"),
        Option("n", "name", help="names instead of numbers, with -u, -g or -G"),
        Option("r", "real", help="the real id instead of the effective one"),
        Option("u", "user", help="only the effective user id"),
        Option("z", "zero", help="end with a NUL instead of a newline"),
    ),
    complete=lambda ctx, _: [account.name for account in accounts(ctx.inventory)],
    manual="Without USER: of the process itself. Membership in `adm` lets read logs, in `sudo` act as root.",
)

"""Owners as chown and chgrp read them: names or numbers, `user`, `user:group`, `user:`, `:group`."""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.linux._support import gnu, paths
from engine.commands.linux._support.walking import walk
from engine.commands.linux._support.words import name
from engine.commands.options import Option, Parsed
from engine.control.accounts import accounts, group_ids
from engine.hostfs.tree import FileError, FileKind, Stat

OPTIONS = (
    Option("c", "changes", help="name what was changed"),
    Option("f", "silent", help="no error messages"),
    Option(None, "quiet", name="silent", help="the same"),
    Option("v", "verbose", help="name everything"),
    Option(None, "dereference", help="change what a link leads to (the default)"),
    Option("h", "no-dereference", help="change links themselves"),
    Option(None, "preserve-root", help="refuse to work on / recursively"),
    Option(None, "no-preserve-root", help="do not (the default)"),
    Option(None, "reference", "RFILE", help="take owner and group of RFILE"),
    Option("R", "recursive", help="directories with all that is below"),
    Option("H", None, name="traverse_arguments", help="with -R, follow links among the arguments"),
    Option("L", None, name="traverse_links", help="with -R, follow every link to a directory"),
    Option("P", None, name="traverse_none", help="with -R, follow no links (the default)"),
)


@dataclass(frozen=True, slots=True)
class Wish:
    """The owner and group to set; None leaves one. `verb` and `noun` are the tool's words for it."""

    uid: int | None
    gid: int | None
    noun: str
    doing: str


def user_id(ctx: Context, text: str) -> int | None:
    """The uid of a name or number, or None."""
    names = {account.name: account.uid for account in accounts(ctx.inventory)}
    return names.get(text, int(text) if text.isdigit() else None)


def group_id(ctx: Context, text: str) -> int | None:
    """The gid of a name or number, or None."""
    return group_ids(ctx.inventory).get(text, int(text) if text.isdigit() else None)


def own_group(ctx: Context, uid: int) -> int | None:
    """The login group of a uid."""
    return next((account.gid for account in accounts(ctx.inventory) if account.uid == uid), None)


def change_all(ctx: Context, parsed: Parsed, wish: Wish, operands: list[str]) -> int:
    """Change every operand. Returns the exit status."""
    done = True
    for operand in operands:
        quiet = "silent" in parsed
        for found in walk(ctx, operand, recursive="recursive" in parsed, quiet=quiet):
            done = found is not None and _one(ctx, parsed, wish, *found) and done
    return 0 if done else 1


def _one(ctx: Context, parsed: Parsed, wish: Wish, path: str, stat: Stat) -> bool:
    follow = "no_dereference" not in parsed and stat.kind is not FileKind.SYMLINK
    try:
        paths.tree(ctx).set_owner(paths.absolute(ctx, path), wish.uid, wish.gid, follow)
    except FileError as error:
        if "silent" not in parsed:
            gnu.file_error(ctx, wish.doing, path, error)
        return False
    new_uid = stat.uid if wish.uid is None else wish.uid
    new_gid = stat.gid if wish.gid is None else wish.gid
    changed = (new_uid, new_gid) != (stat.uid, stat.gid)
    if "verbose" in parsed or ("changes" in parsed and changed):
        ctx.line(_report(ctx, wish, path, stat, changed))
    return True


def _report(ctx: Context, wish: Wish, path: str, stat: Stat, changed: bool) -> str:
    from engine.control.accounts import group_name, user_name

    def both(uid: int, gid: int, owner: bool, group: bool) -> str:
        names = [user_name(ctx.inventory, uid)] if owner else [""] if wish.noun == "ownership" else []
        return ":".join(names + ([group_name(ctx.inventory, gid)] if group else []))

    owner, group = wish.uid is not None, wish.gid is not None
    now = both(stat.uid, stat.gid, owner or wish.noun == "ownership", group)
    after = both(wish.uid or 0, wish.gid or 0, owner, group)
    noun = "group" if group and not owner and wish.noun == "group" else wish.noun
    if not changed:
        return f"{noun} of {name(path)} retained as {both(stat.uid, stat.gid, owner, group)}"
    return f"changed {noun} of {name(path)} from {now} to {after}"

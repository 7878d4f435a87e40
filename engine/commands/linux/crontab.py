"""crontab of cron 3.0pl1 (Debian): one's table of timed commands. It is kept as a file; breakfix runs nothing from it.

Texts after Debian's crontab.c. Tables lie in /var/spool/cron/crontabs, which is not there on a new host.
"""

from __future__ import annotations

import re

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.paths import tree
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.control.accounts import Identity, identity
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import FileError
from engine.kernel.errors import BreakfixError

_FOLDER = "/var/spool/cron/crontabs"
_NAMED = ("reboot", "yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly")
_NUMBERS, _WORDS = re.compile(r"[-0-9*/,]+"), re.compile(r"[-0-9*/,A-Za-z]+")
_FIELDS = {"minute": _NUMBERS, "hour": _NUMBERS, "day-of-month": _NUMBERS, "month": _WORDS, "day-of-week": _WORDS}
_OPTIONS = (
    Option("u", None, "USER", name="user", help="the table of USER (root only)"),
    Option("l", None, name="list", help="print the table"),
    Option("e", None, name="edit", help="edit the table"),
    Option("r", None, name="remove", help="remove the table"),
    Option("i", None, name="ask", help="with -r, ask first"),
    Option("h", "help", help="print this text"),
)


async def run(ctx: Context) -> int:
    """Print, replace, edit or remove a table."""
    parsed = parse("crontab", _OPTIONS, ctx.arguments, trailer=_usage().rstrip("\n"))
    if "help" in parsed:
        ctx.write(_usage())
        return 0
    who = _owner(ctx, parsed)
    chosen = [key for key in ("list", "edit", "remove") if key in parsed]
    if len(chosen) > 1:
        raise UsageError("crontab: usage error: -e, -l and -r exclude each other\n" + _usage())
    if not chosen:
        return await _replace(ctx, who, parsed.operands[0] if parsed.operands else "-")
    return await {"list": _list, "edit": _edit, "remove": _remove}[chosen[0]](ctx, parsed, who)


def _owner(ctx: Context, parsed: Parsed) -> Identity:
    if "user" not in parsed:
        return ctx.identity
    if not ctx.is_root and parsed["user"] != ctx.identity.name:
        raise UsageError("must be privileged to use -u\n")
    try:
        return identity(ctx.inventory, parsed["user"])
    except BreakfixError:
        raise UsageError(f"crontab:  user `{parsed['user']}' unknown\n") from None


def _table(who: Identity) -> str:
    return f"{_FOLDER}/{who.name}"


def _text(ctx: Context, who: Identity) -> str | None:
    """The table as root reads it, or None; crontab is set-group-id."""
    try:
        return _as_root(ctx).read(_table(who)).decode("utf-8", "replace")
    except FileError:
        return None


def _as_root(ctx: Context) -> HostTree:
    return tree(ctx).seen_by(identity(ctx.inventory, "root"))


async def _list(ctx: Context, _parsed: Parsed, who: Identity) -> int:
    text = _text(ctx, who)
    if text is None:
        ctx.error(f"no crontab for {who.name}")
        return 1
    ctx.write(text)
    return 0


async def _remove(ctx: Context, parsed: Parsed, who: Identity) -> int:
    if _text(ctx, who) is None:
        ctx.error(f"no crontab for {who.name}")
        return 1
    if "ask" in parsed:
        answer = (
            await ctx.terminal.ask(f"crontab: really delete {who.name}'s crontab? (y/n) ") if ctx.terminal else None
        )
        if not (answer or "").lower().startswith("y"):
            return 0
    _as_root(ctx).remove(_table(who), False)
    return 0


async def _edit(ctx: Context, _parsed: Parsed, who: Identity) -> int:
    ctx.error("breakfix: crontab -e does not open an editor here; write the table to a file and use crontab FILE")
    return ctx.not_modelled("crontab -e")


async def _replace(ctx: Context, who: Identity, name: str) -> int:
    try:
        text = (await ctx.stdin.read() if name == "-" else paths.read(ctx, name)).decode("utf-8", "replace")
    except FileError as error:
        ctx.error(f"{name}: {error.text}")
        return 1
    wrong = _first_mistake(text)
    if wrong:
        ctx.error(f'"{name}":{wrong[0]}: bad {wrong[1]}\nerrors in crontab file, can\'t install.')
        return 1
    files = _as_root(ctx)
    files.make_directory(_FOLDER, True)
    files.write(_table(who), text.encode())
    files.set_mode(_table(who), 0o600)
    files.set_owner(_table(who), who.uid, None)
    return 0


def _first_mistake(text: str) -> tuple[int, str] | None:
    """(line, which field) of the first line that is no entry."""
    for number, line in enumerate(text.splitlines()):
        plain = line.strip()
        if not plain or plain.startswith("#") or re.match(r"[A-Za-z_]\w*\s*=", plain):
            continue
        if plain.startswith("@"):
            if plain.split()[0][1:] not in _NAMED:
                return number, "time specifier"
            continue
        words = plain.split(None, len(_FIELDS))
        for place, (field, form) in enumerate(_FIELDS.items()):
            if place >= len(words) or not form.fullmatch(words[place]):
                return number, field
        if len(words) <= len(_FIELDS):
            return number, "command"
    return None


def _usage() -> str:
    return "\n".join(
        ["usage: crontab [-u USER] FILE", "       crontab [-u USER] -l|-r|-e", "", *option_lines(_OPTIONS), ""]
    )


COMMAND = Command(
    "crontab",
    "show and change one's table of timed commands",
    run,
    "crontab [-u USER] FILE | crontab [-u USER] -l|-r",
    _OPTIONS,
    "A line has five fields (minute, hour, day of month, month, day of week) and a command, or @daily and the like.\n\n"
    "breakfix keeps the table but runs nothing from it.",
)

"""What munge, unmunge and remunge share: how they greet and fail, and whether munged answers.

Source: dun/munge 0.5.15 src/libcommon/log.c (`munge: Error: ...`) and src/munge.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.program import Suite
from engine.control import munge
from engine.control.accounts import accounts, group_ids

SUITE = Suite("munge-0.5.15 (2022-06-22)", trailer="", short_help=True, short_version=True)


def reach(ctx: Context) -> bool:
    """Whether munged runs here."""
    return munge.runs(ctx.world, ctx.host)


def refuse(ctx: Context, text: str, status: int = 1) -> int:
    """An error line in the program's own name."""
    ctx.error(f"{ctx.name}: Error: {text}")
    return status


def number_of(text: str) -> int | None:
    """A number of seconds; -1 stands for the most that there is."""
    if text == "-1":
        return 3600
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def uid_of(ctx: Context, text: str | None) -> int | None:
    """The user that a name or a number stands for."""
    if text is None:
        return None
    known = {account.name: account.uid for account in accounts(ctx.inventory)}
    return known.get(text, int(text) if text.isdigit() else None)


def gid_of(ctx: Context, text: str | None) -> int | None:
    """The group that a name or a number stands for."""
    if text is None:
        return None
    return group_ids(ctx.inventory).get(text, int(text) if text.isdigit() else None)

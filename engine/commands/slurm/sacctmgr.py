"""sacctmgr: accounts, users, associations and qualities of service of the accounting database.

Slurm 24.11. Source: SchedMD/slurm src/sacctmgr (sacctmgr.c, account_functions.c, user_functions.c, qos_functions.c);
compared with 22.05. Changes are asked about first, unless -i is given. One cluster, no partition associations, no
coordinators; `show events` tells of what stands now, not of what is over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.commands.context import Context
from engine.commands.options import Option, Parsed
from engine.commands.slurm._support import database_changes, database_views
from engine.commands.slurm._support.client import Tool, command, reach_database
from engine.commands.slurm._support.database_settings import BadSetting

OPTIONS = (
    Option("i", "immediate", help="commit changes without asking"),
    Option("n", "noheader", help="no heading"),
    Option("o", "oneliner", help="one line for each record"),
    Option("p", "parsable", help="fields with | after each"),
    Option("P", "parsable2", help="fields with | between them"),
    Option("Q", "quiet", help="errors only"),
    Option("r", "readonly", help="change nothing"),
    Option("s", "associations", help="show associations with users and accounts"),
    Option("v", "verbose", help="say more"),
    Option(long="json", argument="VERSION", optional=True, help="JSON"),
    Option(long="yaml", argument="VERSION", optional=True, help="YAML"),
)
_LISTING = ("show", "list")
_SETTING = re.compile(r"([\w-]+?)([+-]?)=(.*)", re.DOTALL)


@dataclass(slots=True)
class Line:
    """A line that was understood: conditions (before `set`), settings (after it), and words without `=`."""

    where: list[tuple[str, str, str]] = field(default_factory=list)
    settings: list[tuple[str, str, str]] = field(default_factory=list)
    words: list[str] = field(default_factory=list)

    def value(self, *names: str) -> str:
        """The value of a condition; "" if there is none."""
        return next((text for name, _, text in self.where if name.lower() in names), "")


async def run(ctx: Context, parsed: Parsed) -> int:
    """One command of the line."""
    for gap in ("json", "yaml", "oneliner"):
        if gap in parsed:
            return ctx.not_modelled(f"sacctmgr --{gap}")
    if not parsed.operands:
        return ctx.not_modelled("sacctmgr without a command")
    keyword, *rest = parsed.operands
    if not reach_database(ctx):
        return 1
    what = next((name for name in _COMMANDS if len(keyword) >= 2 and name.startswith(keyword.lower())), None)
    if what is None:
        ctx.error(f"invalid keyword: {keyword}")
        return 1
    if what in _LISTING:
        return database_views.show(ctx, parsed, rest)
    if what in _GAPS:
        return ctx.not_modelled(f"sacctmgr {what}")
    if what == "version":
        return ctx.not_modelled("sacctmgr version")
    return await _change(ctx, parsed, what, rest)


async def _change(ctx: Context, parsed: Parsed, what: str, rest: Sequence[str]) -> int:
    """add, create, modify, delete: work the change out, tell it, ask, commit."""
    entity = rest[0].lower() if rest else ""
    line = read(rest[1:], setting="set" if what in ("modify", "update") else "")
    try:
        change = database_changes.worked_out(ctx, "add" if what == "create" else what, entity, line)
    except BadSetting as refused:
        ctx.error(str(refused))
        return 1
    if change is None:
        return 1
    for text in change.lines:
        ctx.line(text)
    if change.action is None:
        return change.status
    if "readonly" in parsed:
        return 1
    if "immediate" not in parsed and not await _agreed(ctx):
        ctx.line(" Changes Discarded")
        return 0
    refusal = ctx.simulation.apply(change.action)
    if refusal:
        ctx.error(f" Error with request: {refusal.text}")
        return 1
    return 0


async def _agreed(ctx: Context) -> bool:
    question = "Would you like to commit changes? (You have 30 seconds to decide)\n(N/y): "
    if ctx.terminal and not ctx.stdin.attached:
        await ctx.flush()
        answer = await ctx.terminal.ask(question)
        return (answer or "").strip().lower() in ("y", "yes")
    ctx.write(question)
    async for text in ctx.stdin.lines():
        return text.decode("utf-8", "replace").strip().lower() in ("y", "yes")
    return False


def read(words: Sequence[str], setting: str = "") -> Line:
    """Sort the words of a line. With `setting` what follows that word are settings."""
    line, target = Line(), "where"
    for word in words:
        lowered = word.lower()
        if lowered == "where":
            target = "where"
        elif lowered == "set" and setting:
            target = "settings"
        elif match := _SETTING.fullmatch(word):
            (line.where if target == "where" else line.settings).append((match[1], match[2], match[3].strip("\"'")))
        else:
            line.words.append(word)
    return line


_COMMANDS = (
    "add", "archive", "associations", "clear", "create", "delete", "dump", "list", "load", "modify", "ping", "problem",
    "reconfigure", "remove", "show", "update", "shutdown", "version",
)  # fmt: skip
_GAPS = ("archive", "associations", "clear", "dump", "load", "ping", "problem", "reconfigure", "shutdown")

COMMAND = command(
    Tool(
        "sacctmgr",
        "look at and change accounts, users and limits of Slurm",
        "sacctmgr [<OPTION>] [<COMMAND>]",
        OPTIONS,
        run,
        manual="Shows what the accounting database knows (sacctmgr show assoc, user, account, qos) and lets "
        "administrators change it: add account NAME, add user NAME account=ACCOUNT, add qos NAME, modify user NAME set "
        "GrpTRES=gres/gpu=8, delete user NAME.",
    )
)

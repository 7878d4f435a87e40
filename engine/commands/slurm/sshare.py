"""sshare: the tree of associations, their shares, and what they have used.

Slurm 24.11. Source: SchedMD/slurm src/sshare/sshare.c and process.c (fair tree); compared with 22.05. Users see the
accounts and their own line, operators with -a everybody's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError
from engine.commands.slurm._support.client import Tool, command, error, reach, words
from engine.control.slurm import jobs, ledger
from engine.control.slurm.priority import Share, tree
from engine.kernel.units import MINUTE

OPTIONS = (
    Option("a", "all", help="all users"),
    Option("A", "accounts", "ACCOUNTS", help="these accounts"),
    Option("e", "helpformat", help="list the fields"),
    Option("h", "noheader", help="no heading"),
    Option("l", "long", help="more columns"),
    Option("m", "partition", help="partition associations too"),
    Option("M", "cluster", "NAMES", help="ask other clusters"),
    Option(long="clusters", argument="NAMES", name="cluster", help="the same"),
    Option("n", "noheader", help="no heading"),
    Option("o", "format", "FIELDS", help="these fields"),
    Option("p", "parsable", help="fields with | after each"),
    Option("P", "parsable2", help="fields with | between them"),
    Option("u", "users", "USERS", help="these users"),
    Option("U", "Users", name="users_only", help="users alone"),
    Option("v", "verbose", help="say more"),
    Option(long="json", argument="VERSION", optional=True, help="JSON"),
    Option(long="yaml", argument="VERSION", optional=True, help="YAML"),
)
_GAPS = ("cluster", "partition", "json", "yaml")
_PLAIN = "account,user,rawshares,normshares,rawusage,effectvusage,fairshare"
_LONG = "account,user,rawshares,normshares,rawusage,normusage,effectvusage,fairshare,levelfs,grptresmins,tresrunmins"


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of the table."""

    ctx: Context
    depth: int
    share: Share

    @property
    def is_root(self) -> bool:
        return self.depth == 0


def _name(row: _Row) -> str:
    return " " * row.depth + row.share.account


def _level(row: _Row) -> str:
    if row.is_root:
        return ""
    return "inf" if row.share.level is None else f"{row.share.level:.6f}"


def _run_minutes(row: _Row) -> str:
    """What running jobs will still use, in minutes of each resource."""
    accounts = {each.account for _, each in row.share.walk()}
    cpu = memory = nodes = gpus = 0
    known = ledger.ledger(row.ctx.world)
    for job in known.active.values():
        mine = job.account in accounts and row.share.user in ("", job.user)
        if job.state != "RUNNING" or not mine or not job.time_limit or job.started is None:
            continue
        left = max(job.started + job.time_limit - row.ctx.now, 0) // MINUTE
        cpu += jobs.total_cpus(job) * left
        memory += job.memory_mib * job.node_count * left
        nodes += job.node_count * left
        gpus += jobs.total_gpus(job) * left
    return f"cpu={cpu},mem={memory},energy=0,node={nodes},billing={cpu},fs/disk=0,vmem=0,pages=0,gres/gpu={gpus}"


_FIELDS: tuple[tuple[str, int, Callable[[_Row], str]], ...] = (
    ("Account", -20, _name),
    ("User", 10, lambda row: row.share.user),
    ("RawShares", 10, lambda row: "" if row.is_root else str(row.share.raw_shares)),
    ("NormShares", 11, lambda row: f"{0.0 if row.is_root else row.share.norm_shares:.6f}"),
    ("RawUsage", 11, lambda row: str(int(row.share.usage))),
    ("NormUsage", 11, lambda row: "" if row.is_root else f"{row.share.norm_usage:.6f}"),
    ("EffectvUsage", 13, lambda row: f"{row.share.effective_usage:.6f}"),
    ("FairShare", 10, lambda row: f"{row.share.factor:.6f}" if row.share.user else ""),
    ("LevelFS", 10, _level),
    ("GrpTRESMins", 30, lambda row: ""),
    ("TRESRunMins", 30, _run_minutes),
    ("Cluster", 10, lambda row: row.ctx.inventory.cluster),
    ("GrpTRESRaw", 30, lambda row: ""),
    ("ID", 6, lambda row: ""),
    ("Partition", 12, lambda row: ""),
)
_MODELLED_NOT = ("GrpTRESRaw", "ID")


def run(ctx: Context, parsed: Parsed) -> int:
    """Ask slurmctld and print the tree."""
    for gap in _GAPS:
        if gap in parsed:
            return ctx.not_modelled(f"sshare --{gap}")
    if "helpformat" in parsed:
        names = sorted(name for name, _, _ in _FIELDS)
        for index in range(0, len(names), 4):
            ctx.line(" ".join(f"{name:<19}" for name in names[index : index + 4]))
        return 0
    fields = _chosen(ctx, parsed)
    lacking = next((name for name, _, _ in fields if name in _MODELLED_NOT), None)
    if lacking:
        return ctx.not_modelled(f"sshare field {lacking}")
    if refused := reach(ctx):
        ctx.error(f"sshare: error: Couldn't get shares from controller: {refused.text}")
        return 1
    for line in _lines(ctx, parsed, fields):
        ctx.line(line)
    return 0


def _chosen(ctx: Context, parsed: Parsed) -> list[tuple[str, int, Callable[[_Row], str]]]:
    found = []
    for word in words(parsed["format"] or (_LONG if "long" in parsed else _PLAIN)):
        name, percent, size = word.partition("%")
        field = next((field for field in _FIELDS if field[0].lower().startswith(name.lower())), None)
        if field is None:
            error(ctx, f'Invalid field requested: "{name}"')
            raise UsageError("")
        width = int(size) if percent and size.lstrip("-").isdigit() else field[1]
        found.append((field[0], width, field[2]))
    return found


def _lines(ctx: Context, parsed: Parsed, fields: list[tuple[str, int, Callable[[_Row], str]]]) -> list[str]:
    rows = [_Row(ctx, depth, share) for depth, share in tree(ctx.world, ctx.now).walk()]
    shown = [row for row in rows if _is_shown(ctx, parsed, row)]
    delimiter = "|" if "parsable" in parsed or "parsable2" in parsed else ""
    if delimiter:
        end = "|" if "parsable" in parsed and "parsable2" not in parsed else ""
        heading = [delimiter.join(name for name, _, _ in fields) + end] if "noheader" not in parsed else []
        return [*heading, *(delimiter.join(value(row) for _, _, value in fields) + end for row in shown)]
    heading = []
    if "noheader" not in parsed:
        heading = ["".join(_cell(name, width) for name, width, _ in fields)]
        heading.append("".join("-" * abs(width) + " " for _, width, _ in fields))
    return [*heading, *("".join(_cell(value(row), width) for _, width, value in fields) for row in shown)]


def _cell(text: str, width: int) -> str:
    size = abs(width)
    short = text if len(text) <= size else f"{text[: size - 1]}+"
    return (short.ljust(size) if width < 0 else short.rjust(size)) + " "


def _is_shown(ctx: Context, parsed: Parsed, row: _Row) -> bool:
    """Accounts that are asked for, and users: all with -a, else oneself and those of -u."""
    accounts, users = words(parsed["accounts"] or ""), words(parsed["users"] or "")
    if accounts and row.share.account not in accounts:
        return False
    if not row.share.user:
        return "users_only" not in parsed
    return "all" in parsed or row.share.user in (users or [ctx.identity.name])


COMMAND = command(
    Tool(
        "sshare",
        "show shares and usage of accounts and users",
        "sshare [OPTION]",
        OPTIONS,
        run,
        manual="FairShare of a user falls with what the user, and the account around, have used in relation to their "
        "shares. It counts in priorities if PriorityWeightFairshare does (sprio -w).",
    )
)

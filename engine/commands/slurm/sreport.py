"""sreport: how much of the cluster was used, and by whom.

Slurm 24.11. Source: SchedMD/slurm src/sreport (cluster_reports.c, user_reports.c: titles, fields, widths); compared
with 22.05, whose columns are narrower. Reports are worked out of the jobs of the database; time that nodes were down is
that of nodes which are down now, since when they are. Modelled: cluster Utilization and AccountUtilizationByUser, user
TopUsage.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.options import Option, Parsed
from engine.commands.slurm._support.client import Tool, command, reach_database
from engine.control.accounts import identity
from engine.control.slurm import accounting, associations
from engine.control.slurm.configuration import in_force
from engine.control.slurm.times import parse_moment, timestamp
from engine.control.slurm.version import at_least
from engine.kernel.units import DAY, SECOND
from engine.world.records import Job

OPTIONS = (
    Option("a", "all_clusters", help="all clusters"),
    Option("M", "cluster", "NAMES", help="other clusters"),
    Option("n", "noheader", help="no heading"),
    Option("p", "parsable", help="fields with | after each"),
    Option("P", "parsable2", help="fields with | between them"),
    Option("Q", "quiet", help="errors only"),
    Option("t", "tres_time", "FORMAT", help="seconds, minutes or hours"),
    Option("T", "tres", "NAMES", help="these resources"),
    Option("v", "verbose", help="say more"),
)
_LINE = "-" * 80
_UNITS = {"s": ("Seconds", 1), "m": ("Minutes", 60), "h": ("Hours", 3600)}


@dataclass(frozen=True, slots=True)
class _Report:
    """What is asked for: a span (ns), the unit of the figures, and the resources."""

    ctx: Context
    start: int
    end: int
    unit: str
    seconds: int
    tres: tuple[str, ...]
    named: bool

    def amount(self, value: int) -> str:
        """Resource seconds in the unit of the report."""
        return str((value + self.seconds // 2) // self.seconds)

    def used(self, job: Job, tres: str) -> int:
        """Resource seconds of a job within the span."""
        if job.started is None or not job.nodes:
            return 0
        end = self.ctx.now if job.ended is None else job.ended
        seconds = max(min(end, self.end) - max(job.started, self.start), 0) // SECOND
        return seconds * _per_second(job, tres)

    def title(self, name: str, secs: bool) -> list[str]:
        """The four lines above a table."""
        inventory, last = self.ctx.inventory, self.end - SECOND
        span = f"{timestamp(inventory, self.start)} - {timestamp(inventory, last)}"
        shown = f" ({(self.end - self.start) // SECOND} secs)" if secs or at_least(inventory, 23, 2) else ""
        what = "TRES" if self.named else "CPU"
        return [_LINE, f"{name} {span}{shown}", f"Usage reported in {what} {self.unit}", _LINE]


def _per_second(job: Job, tres: str) -> int:
    nodes = len(job.nodes)
    return {
        "cpu": job.cpus_per_node, "gres/gpu": job.gpus_per_node, "mem": job.memory_mib, "node": 1,
        "billing": job.cpus_per_node,
    }.get(tres, 0) * nodes  # fmt: skip


def run(ctx: Context, parsed: Parsed) -> int:
    """`sreport cluster utilization`, with conditions after it."""
    for gap in ("cluster", "all_clusters"):
        if gap in parsed:
            return ctx.not_modelled(f"sreport --{gap}")
    words = [word for word in parsed.operands if "=" not in word]
    if not words:
        return ctx.not_modelled("sreport without a report")
    report = next((each for each in _REPORTS if _means(words, each[0])), None)
    if report is None:
        known = ("cluster", "job", "reservation", "user")
        if any(len(words[0]) > 1 and name.startswith(words[0].lower()) for name in known):
            return ctx.not_modelled(f"sreport {' '.join(words)}")
        ctx.error(f"invalid keyword: {words[0]}")
        return 1
    if not reach_database(ctx):
        return 1
    try:
        asked = _asked(ctx, parsed)
    except ValueError as refused:
        ctx.error(f" Invalid time specification: {refused}")
        return 1
    for line in report[1](asked, "noheader" not in parsed, _style(parsed)):
        ctx.line(line)
    return 0


def _means(words: Sequence[str], report: tuple[str, str, int]) -> bool:
    kind, name, least = report
    given = words[1].lower() if len(words) > 1 else ""
    return kind.startswith(words[0].lower()) and len(given) >= least and name.startswith(given)


def _style(parsed: Parsed) -> str:
    return "|" if "parsable2" in parsed else "||" if "parsable" in parsed else ""


def _asked(ctx: Context, parsed: Parsed) -> _Report:
    """The span: yesterday, unless `start=` and `end=` say another."""
    given = {}
    for word in parsed.operands:
        name, equals, value = word.partition("=")
        if equals:
            given[name.lower()] = value
    today = parse_moment("today", ctx.inventory, ctx.now)
    start = parse_moment(given["start"], ctx.inventory, ctx.now, past=True) if "start" in given else today - DAY
    default_end = today if "start" not in given else ctx.now // (3600 * SECOND) * 3600 * SECOND
    end = parse_moment(given["end"], ctx.inventory, ctx.now, past=True) if "end" in given else default_end
    unit, seconds = _UNITS.get((parsed["tres_time"] or "m")[:1].lower(), _UNITS["m"])
    tres = tuple(name for name in (parsed["tres"] or given.get("tres", "cpu")).split(",") if name)
    return _Report(ctx, start, end, unit, seconds, tres, "tres" in parsed or "tres" in given)


def _table(columns: Sequence[tuple[str, int]], rows: Sequence[Sequence[str]], style: str, heading: bool) -> list[str]:
    if style:
        end = "|" if style == "||" else ""
        top = ["|".join(name for name, _ in columns) + end] if heading else []
        return [*top, *("|".join(row) + end for row in rows)]
    lines = []
    if heading:
        lines = ["".join(_cell(name, width) for name, width in columns)]
        lines.append("".join("-" * width + " " for _, width in columns))
    return [
        *lines,
        *("".join(_cell(text, width) for text, (_, width) in zip(row, columns, strict=True)) for row in rows),
    ]


def _cell(text: str, width: int) -> str:
    if len(text) > width:
        text = text[:width] if text.replace(" ", "").isalpha() else f"{text[: width - 1]}+"
    return text.rjust(width) + " "


def _utilization(report: _Report, heading: bool, style: str) -> list[str]:
    """How the cluster's time was spent."""
    ctx, wide = report.ctx, at_least(report.ctx.inventory, 23, 2)
    columns = [("Cluster", 9), *([("TRES Name", 14)] if report.named else [])]
    columns += [("Allocated" if wide else "Allocate", 12 if wide else 8), ("Down", 10 if wide else 8),
                ("PLND Down" if wide else "PLND Dow", 10 if wide else 8), ("Idle", 12 if wide else 8),
                ("Planned", 9 if wide else 8), ("Reported", 12 if wide else 8)]  # fmt: skip
    span = (report.end - report.start) // SECOND
    rows = []
    for tres in report.tres:
        used = sum(report.used(run.job, tres) for run in accounting.runs(ctx.world))
        there = _there(ctx, tres) * span
        down = min(_down(report, tres), there - used)
        figures = (used, down, 0, there - used - down, 0, there)
        rows.append([ctx.inventory.cluster, *([tres] if report.named else []), *map(report.amount, figures)])
    return [*(report.title("Cluster Utilization", wide) if heading else []), *_table(columns, rows, style, heading)]


def _there(ctx: Context, tres: str) -> int:
    """How much of a resource the cluster has."""
    nodes = in_force(ctx.world).nodes.values()
    values: dict[str, Callable[[], int]] = {
        "cpu": lambda: sum(node.cpus for node in nodes), "gres/gpu": lambda: sum(node.gpus for node in nodes),
        "mem": lambda: sum(node.real_memory for node in nodes), "node": lambda: len(nodes),
        "billing": lambda: sum(node.cpus for node in nodes),
    }  # fmt: skip
    return values[tres]() if tres in values else 0


def _down(report: _Report, tres: str) -> int:
    """Resource seconds of nodes that are down or drained, since they are."""
    total = 0
    for name, node in in_force(report.ctx.world).nodes.items():
        record = report.ctx.world.slurm_nodes[name]
        if record.down or record.drain:
            since = max(record.reason_time, report.start)
            share = {"cpu": node.cpus, "billing": node.cpus, "gres/gpu": node.gpus, "mem": node.real_memory, "node": 1}
            total += max(min(report.end, report.ctx.now) - since, 0) // SECOND * share.get(tres, 0)
    return total


def _by_user(report: _Report, tres: str) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for run_ in accounting.runs(report.ctx.world):
        used = report.used(run_.job, tres)
        if used:
            key = run_.job.account, run_.job.user
            found[key] = found.get(key, 0) + used
    return found


def _columns_of_people(report: _Report, login_first: bool) -> list[tuple[str, int]]:
    size = 10 if at_least(report.ctx.inventory, 23, 2) else 8
    people = [("Login", 9), ("Proper Name", 15), ("Account", 15)]
    if not login_first:
        people = [("Account", 15), ("Login", 9), ("Proper Name", 15)]
    last = [("TRES Name", 14), ("Used", size)] if report.named else [("Used", size), ("Energy", size)]
    return [("Cluster", 9), *people, *last]


def _figures(report: _Report, tres: str, used: int) -> list[str]:
    return [tres, report.amount(used)] if report.named else [report.amount(used), "0"]


def _full_name(ctx: Context, user: str) -> str:
    return identity(ctx.inventory, user).full_name


def _top(report: _Report, heading: bool, style: str) -> list[str]:
    """The users who used most."""
    ctx = report.ctx
    rows = []
    for tres in report.tres:
        ranked = sorted(_by_user(report, tres).items(), key=lambda entry: (-entry[1], entry[0]))[:10]
        rows += [
            [ctx.inventory.cluster, user, _full_name(ctx, user), account, *_figures(report, tres, used)]
            for (account, user), used in ranked
        ]
    title = report.title("Top 10 Users", True) if heading else []
    return [*title, *_table(_columns_of_people(report, True), rows, style, heading)]


def _accounts(report: _Report, heading: bool, style: str) -> list[str]:
    """The tree of accounts with what each used."""
    ctx, rows = report.ctx, []
    for tres in report.tres:
        used = _by_user(report, tres)
        for each in associations.associations(ctx.world):
            names = _below(ctx, each.account) if not each.user else {each.account}
            total = sum(
                value for (account, user), value in used.items() if account in names and each.user in ("", user)
            )
            if total:
                who = [each.user, _full_name(ctx, each.user)] if each.user else ["", ""]
                rows.append([ctx.inventory.cluster, each.account, *who, *_figures(report, tres, total)])
    title = report.title("Cluster/Account/User Utilization", True) if heading else []
    return [*title, *_table(_columns_of_people(report, False), rows, style, heading)]


def _below(ctx: Context, account: str) -> set[str]:
    found = {account}
    for each in associations.associations(ctx.world):
        if not each.user and each.parent in found:
            found.add(each.account)
    return found


_REPORTS: tuple[tuple[tuple[str, str, int], Callable[[_Report, bool, str], list[str]]], ...] = (
    (("cluster", "utilization", 2), _utilization),
    (("cluster", "accountutilizationbyuser", 17), _accounts),
    (("user", "topusage", 1), _top),
)

COMMAND = command(
    Tool(
        "sreport",
        "report how much of the cluster was used, and by whom",
        "sreport [<OPTION>] [<COMMAND>]",
        OPTIONS,
        run,
        manual="Reports of yesterday, or from start= to end=: sreport cluster utilization; sreport user top; sreport "
        "cluster AccountUtilizationByUser -T gres/gpu -t hours.",
    )
)

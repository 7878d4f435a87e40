"""sprio: what the priorities of pending jobs are made of.

Slurm 24.11. Source: SchedMD/slurm src/sprio/sprio.c (which columns there are follows from the weights), opts.c and
print.c; compared with 22.05.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError
from engine.commands.slurm._support.client import Tool, command, error, reach, user_name, words
from engine.commands.slurm._support.columns import fit
from engine.control.slurm import arrays, jobs, ledger
from engine.control.slurm.configuration import SlurmConfiguration, in_force
from engine.control.slurm.priority import Factors, Share, factors, tree, weight
from engine.world.records import Job

_HIGHEST = 0xFFFFFFFF
_PLAIN_HEAD, _LONG_FORMAT = "%.15i %9r", "%.15i %9r %.8u %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10Q %.11N %.20T"
_NORM_FORMAT = "%.15i %9r %.8u %10y %10a %10b %10f %10j %10p %10q %20t"
# (weight, letter of its points, letter of its share of 1, width): columns that are there if the weight is.
_WEIGHED = (
    ("Age", "A", "a"), ("Assoc", "B", "b"), ("Fairshare", "F", "f"), ("JobSize", "J", "j"), ("Partition", "P", "p"),
    ("QOS", "Q", "q"),
)  # fmt: skip

OPTIONS = (
    Option("j", "jobs", "JOBS", help="these jobs"),
    Option("h", "noheader", help="no heading"),
    Option("l", "long", help="show all columns"),
    Option("M", "cluster", "NAMES", help="ask other clusters"),
    Option(long="clusters", argument="NAMES", name="cluster", help="the same"),
    Option("n", "norm", help="factors instead of points"),
    Option("o", "format", "FORMAT", help="fields by their letters"),
    Option("p", "partition", "PARTITIONS", help="jobs of these partitions"),
    Option("S", "sort", "FIELDS", help="sort by these letters"),
    Option("u", "user", "USERS", help="jobs of these users"),
    Option("v", "verbose", help="say more"),
    Option("w", "weights", help="the weights alone"),
    Option(long="federation", help="jobs of a federation"),
    Option(long="local", help="this cluster only"),
    Option(long="sibling", help="sibling jobs of a federation"),
)
_GAPS = ("cluster", "federation", "sibling", "sort")


_NO_FACTORS = Factors()


@dataclass(frozen=True, slots=True)
class _Row:
    """A pending job and what its priority is made of; without a job the row of the weights."""

    ctx: Context
    known: SlurmConfiguration
    job: Job | None = None
    parts: Factors = _NO_FACTORS

    def points(self, name: str) -> int:
        """The points of a factor, or its weight."""
        if self.job is None:
            return weight(self.known, name)
        return {
            "Age": self.parts.age, "Assoc": self.parts.association, "Fairshare": self.parts.fair_share,
            "JobSize": self.parts.size, "Partition": self.parts.partition, "QOS": self.parts.qos,
        }[name]  # fmt: skip

    def share(self, name: str) -> str:
        """A factor between 0 and 1 with seven places, or its weight."""
        if self.job is None:
            return str(weight(self.known, name))
        whole = weight(self.known, name)
        return f"{self.points(name) / whole if whole else 0.0:.7f}"

    @property
    def priority(self) -> int:
        return jobs.priority(self.ctx.world, self.job, self.ctx.now) if self.job else 0

    @property
    def in_all(self) -> str:
        """The priority as a share of the largest one."""
        return f"{self.priority / _HIGHEST:.14f}" if self.job else ""


def _of_job(value: Callable[[_Row, Job], str]) -> Callable[[_Row], str]:
    return lambda row: value(row, row.job) if row.job else ""


_FIELDS: dict[str, tuple[str, Callable[[_Row], str]]] = {
    "i": ("JOBID", lambda row: arrays.shown_id(row.job) if row.job else "Weights"),
    "o": ("ACCOUNT", _of_job(lambda row, job: job.account)),
    "r": ("PARTITION", _of_job(lambda row, job: job.partition)),
    "u": ("USER", _of_job(lambda row, job: job.user)),
    "n": ("QOSNAME", _of_job(lambda row, job: job.qos)),
    "Y": ("PRIORITY", lambda row: str(row.priority) if row.job else ""),
    "y": ("PRIORITY", lambda row: row.in_all),
    "S": ("SITE", lambda row: "0" if row.job else "1"),
    "N": ("NICE", _of_job(lambda row, job: str(job.nice))),
    "T": ("TRES", lambda row: ""),
    "t": ("TRES", lambda row: ""),
}
_POINTS = {points: name for name, points, _ in _WEIGHED}
_SHARES = {share: name for name, _, share in _WEIGHED}


def _field(letter: str) -> tuple[str, Callable[[_Row], str]] | None:
    if letter in _POINTS:
        name = _POINTS[letter]
        return name.upper(), lambda row: str(row.points(name))
    if letter in _SHARES:
        name = _SHARES[letter]
        return name.upper(), lambda row: row.share(name)
    return _FIELDS.get(letter)


def run(ctx: Context, parsed: Parsed) -> int:
    """Ask slurmctld and print the table."""
    for gap in _GAPS:
        if gap in parsed:
            return ctx.not_modelled(f"sprio --{gap}")
    if parsed.operands:
        raise UsageError(f"sprio: error: Unrecognized option: {parsed.operands[0]}\n")
    known = in_force(ctx.world)
    if known.text("PriorityType", "priority/multifactor") != "priority/multifactor":
        ctx.error(
            "You are not running a supported priority plugin\n(priority/basic).\n"
            "Only 'priority/multifactor' is supported."
        )
        return 1
    refused = reach(ctx)
    if refused:
        ctx.error(f"slurm_load_jobs error: {refused.text}")
        return 1
    tokens = _tokens(_format(parsed, known))
    if "noheader" not in parsed:
        ctx.line("".join(fit(heading, width, right) + suffix for heading, _, width, right, suffix in tokens))
    for row in [_Row(ctx, known)] if "weights" in parsed else _rows(ctx, parsed, known):
        ctx.line("".join(fit(value(row), width, right) + suffix for _, value, width, right, suffix in tokens))
    return 0


def _format(parsed: Parsed, known: SlurmConfiguration) -> str:
    """The columns: those asked for, all of them, or those whose factors weigh something."""
    if parsed["format"]:
        return str(parsed["format"])
    norm = "norm" in parsed
    if "long" in parsed and "weights" not in parsed:
        return _NORM_FORMAT if norm else _LONG_FORMAT
    parts = [_PLAIN_HEAD, "%.10y" if norm else "%.10Y", *([] if norm else ["%.10S"])]
    parts += [f"%.10{share if norm else points}" for name, points, share in _WEIGHED if weight(known, name)]
    return " ".join(parts)


def _tokens(text: str) -> list[tuple[str, Callable[[_Row], str], int, bool, str]]:
    """(heading, value, width, right, what follows) of each field."""
    found = []
    for match in re.finditer(r"%(\.?)(\d*)(\w)([^%]*)", text):
        field = _field(match[3])
        if field is None:
            raise UsageError(f"Invalid job format specification: {match[3]}\n")
        found.append((*field, int(match[2] or 0), bool(match[1]), match[4]))
    return found


def _rows(ctx: Context, parsed: Parsed, known: SlurmConfiguration) -> list[_Row]:
    """Pending jobs by number that the options leave; held ones have no priority and are not shown."""
    numbers = {arrays.parse_id(word) for word in words(parsed["jobs"] or "")}
    users = _users(ctx, parsed["user"] or "")
    partitions = words(parsed["partition"] or "")
    shares: Share | None = tree(ctx.world, ctx.now) if weight(known, "Fairshare") else None
    found = []
    for _, number in sorted(ledger.ledger(ctx.world).queue, key=lambda entry: entry[1]):
        job = jobs.active_job(ctx.world, number)
        asked = not numbers or any(each and each[0] in (job.id, job.array_job) for each in numbers)
        shown = jobs.priority(ctx.world, job, ctx.now) > 0 and _eligible(ctx, job)
        if asked and shown and (not users or job.user in users) and (not partitions or job.partition in partitions):
            found.append(_Row(ctx, known, job, factors(ctx.world, job, ctx.now, shares)))
    return found


def _eligible(ctx: Context, job: Job) -> bool:
    """Jobs that wait for their time or for others have no priority factors yet."""
    return not job.reason.startswith(("Dependency", "JobArrayTaskLimit")) and (
        job.begin is None or job.begin <= ctx.now
    )


def _users(ctx: Context, text: str) -> set[str]:
    found = set()
    for word in words(text):
        name = user_name(ctx, word)
        if name is None:
            error(ctx, f"Invalid user: {word}\n")
            raise UsageError("")
        found.add(name)
    return found


COMMAND = command(
    Tool(
        "sprio",
        "show what the priorities of pending jobs are made of",
        "sprio [-j jid[s]] [-u user_name[s]] [-o format] [-p partitions] [-lhnvwV]",
        OPTIONS,
        run,
        manual="The priority of a job is the sum of its factors, each times the weight that slurm.conf gives it "
        "(sprio -w): age, fair share, size, partition and quality of service. Held jobs have none.",
    )
)

"""sacct: what the accounting database has of jobs and their steps, finished ones too.

Slurm 24.11. Source: SchedMD/slurm src/sacct/options.c and print.c, src/common/slurmdb_defs.c (which time a query
covers), src/plugins/accounting_storage/mysql/as_mysql_jobacct_process.c (which jobs were in a state then); compared
with 22.05.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError
from engine.commands.slurm._support.accounting_fields import ACCOUNT_FIELDS, AccountField, Row, account_field
from engine.commands.slurm._support.client import Tool, command, error, fail, reach_database, user_name, words
from engine.control.slurm import accounting, arrays
from engine.control.slurm.accounting import Run
from engine.control.slurm.jobs import JobState
from engine.control.slurm.times import parse_moment, timestamp
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.kernel.units import SECOND
from engine.world.records import Job, JobStep

_BRIEF = "jobid,state,exitcode"
_DEFAULT = "jobid,jobname,partition,account,alloccpus,state,exitcode"
_LONG = (
    "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,"
    "averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,alloccpus,elapsed,"
    "state,exitcode,avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,maxdiskread,"
    "maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,reqtres,"
    "alloctres,tresusageinave,tresusageinmax,tresusageinmaxn,tresusageinmaxt,tresusageinmin,tresusageinminn,"
    "tresusageinmint,tresusageintot,tresusageoutmax,tresusageoutmaxn,tresusageoutmaxt,tresusageoutave,tresusageouttot"
)
_BEGINNING = -(1 << 62)

OPTIONS = (
    Option("a", "allusers", help="jobs of all users; root's default"),
    Option("A", "accounts", "ACCOUNTS", help="jobs of these accounts"),
    Option(long="array", help="jobs of an array in one line"),
    Option("B", "batch-script", help="print the script"),
    Option("b", "brief", help="number, state and exit code alone"),
    Option("c", "completion", help="use job completion data"),
    Option("C", "constraints", "LIST", help="jobs with these constraints"),
    Option(long="delimiter", argument="TEXT", help="what stands between fields with -p and -P"),
    Option("D", "duplicates", help="earlier runs of requeued jobs too"),
    Option("e", "helpformat", help="list the fields"),
    Option("E", "endtime", "TIME", help="up to this time"),
    Option(long="env-vars", help="print the environment"),
    Option(long="expand-patterns", help="fill in file names"),
    Option(long="federation", help="jobs of a federation"),
    Option("f", "file", "FILE", help="read a file"),
    Option("F", "flags", "LIST", help="jobs with these flags"),
    Option("g", "gid", "GROUPS", help="jobs of these groups"),
    Option(long="group", argument="GROUPS", name="gid", help="the same"),
    Option("h", "help", help="show this help and exit"),
    Option("j", "jobs", "JOBS", help="these jobs, or steps (JOB.STEP)"),
    Option(long="json", argument="VERSION", optional=True, help="JSON"),
    Option("k", "timelimit-min", "TIME", help="jobs with at least this limit"),
    Option("K", "timelimit-max", "TIME", help="jobs with at most this limit"),
    Option("l", "long", help="many fields"),
    Option("L", "allclusters", help="jobs of all clusters"),
    Option(long="local", help="this cluster only"),
    Option("M", "clusters", "NAMES", help="jobs of other clusters"),
    Option("n", "noheader", help="no heading"),
    Option("N", "nodelist", "NODES", help="jobs that ran on these nodes"),
    Option(long="name", argument="NAMES", help="jobs of these names"),
    Option("i", "nnodes", "COUNT", help="jobs on so many nodes"),
    Option("I", "ncpus", "COUNT", help="jobs with so many CPUs"),
    Option(long="noconvert", help="do not convert units"),
    Option("o", "format", "FIELDS", help="these fields; NAME%20 sets the width"),
    Option(long="fields", argument="FIELDS", name="format", help="the same"),
    Option("p", "parsable", help="fields with | after each"),
    Option("P", "parsable2", help="fields with | between them"),
    Option("q", "qos", "QOS", help="jobs of this quality of service"),
    Option("r", "partition", "PARTITIONS", help="jobs of these partitions"),
    Option("R", "reason", "REASONS", help="jobs that waited for these reasons"),
    Option("s", "state", "STATES", help="jobs that were in these states"),
    Option("S", "starttime", "TIME", help="from this time; midnight if not given"),
    Option("T", "truncate", help="cut times to the span asked for"),
    Option("u", "user", "USERS", help="jobs of these users"),
    Option(long="uid", argument="USERS", name="user", help="the same"),
    Option(long="units", argument="UNIT", help="K, M, G, T or P"),
    Option(long="use-local-uid", help="show uids of this host"),
    Option("v", "verbose", help="say more"),
    Option("W", "wckeys", "KEYS", help="jobs with these keys"),
    Option(long="whole-hetjob", argument="WHETHER", optional=True, help="all parts of a heterogeneous job"),
    Option("x", "associations", "NUMBERS", help="jobs of these associations"),
    Option("X", "allocations", help="jobs without their steps"),
    Option(long="yaml", argument="VERSION", optional=True, help="YAML"),
)
_GAPS = (
    "json", "yaml", "clusters", "allclusters", "federation", "batch_script", "completion", "constraints", "env_vars",
    "file", "flags", "gid", "timelimit_min", "timelimit_max", "nnodes", "ncpus", "reason", "truncate", "units",
    "wckeys", "associations",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Column:
    field: AccountField
    width: int


@dataclass(frozen=True, slots=True)
class _Query:
    """Which runs and steps are asked for. `picked` are (job, tasks of its array, step or "")."""

    start: int
    end: int
    states: frozenset[str]
    users: frozenset[str] | None
    picked: tuple[tuple[int, tuple[int, ...], str], ...]
    nodes: frozenset[str]
    lists: tuple[tuple[list[str], Callable[[Job], str]], ...]

    def holds(self, run: Run, now: int) -> bool:
        """Whether the database returns the run."""
        job = run.job
        if (self.picked and not self._names(job)) or (self.users is not None and job.user not in self.users):
            return False
        if self.nodes and self.nodes.isdisjoint(job.nodes):
            return False
        if any(wanted and value(job) not in wanted for wanted, value in self.lists):
            return False
        if self.states:
            return any(self._was(state, job) for state in self.states)
        eligible = job.submitted if job.eligible is None else job.eligible
        return eligible < self.end and (job.ended is None or job.ended >= self.start)

    def steps(self, job: Job) -> Sequence[JobStep]:
        """The steps to show of a job: those that are picked, or all."""
        names = self._names(job)
        return job.steps if not names or "" in names else [step for step in job.steps if step.id in names]

    def shows_job(self, job: Job) -> bool:
        """Whether the job itself is shown, and not only steps of it."""
        names = self._names(job)
        return not names or "" in names

    def _names(self, job: Job) -> set[str]:
        """What -j asks of a job: its steps by name, "" for all of it; nothing if it does not name the job."""
        return {
            step
            for number, tasks, step in self.picked
            if number in (job.id, job.array_job)
            and (not tasks or job.array_task in tasks or set(tasks) & set(job.array_tasks))
        }

    def _was(self, state: str, job: Job) -> bool:
        """Whether a job was in a state within the time asked for; for states of its end, whether it ended then."""
        started, ended = job.started, job.ended
        if state == "RUNNING":
            return started is not None and (ended is None or self.start < ended) and started < self.end
        if state == "PENDING":
            until = started if started is not None else ended
            eligible = job.submitted if job.eligible is None else job.eligible
            return (until is None or self.start < until) and eligible < self.end
        return job.state == state and ended is not None and self.start <= ended <= self.end


def run(ctx: Context, parsed: Parsed) -> int:
    """Ask the database and print the table."""
    for gap in _GAPS:
        if gap in parsed:
            return ctx.not_modelled(f"sacct --{gap.replace('_', '-')}")
    if "helpformat" in parsed:
        _list_fields(ctx)
        return 0
    columns = _columns(ctx, parsed)
    lacking = [each.field.name for each in columns if not each.field.modelled]
    if lacking and "long" not in parsed:
        return ctx.not_modelled(f"sacct field {lacking[0]}")
    query = _query(ctx, parsed)
    if parsed.operands:
        lines = "".join(f"sacct: error:  {word}\n" for word in parsed.operands)
        raise UsageError(f"sacct: error: Unknown arguments:\n{lines}")
    if not reach_database(ctx):
        return 1
    table = _Table(columns, parsed)
    if "noheader" not in parsed:
        for line in table.heading():
            ctx.line(line)
    for row in _rows(ctx, parsed, query):
        ctx.line(table.line(row))
    return 0


def _rows(ctx: Context, parsed: Parsed, query: _Query) -> Iterator[Row]:
    """Jobs by number with their steps; of a job that ran several times the last run, with -D all."""
    for each in accounting.runs(ctx.world):
        if not (each.last or "duplicates" in parsed) or not query.holds(each, ctx.now):
            continue
        if query.shows_job(each.job):
            yield Row(each.job, None, ctx.world, ctx.now)
        for step in () if "allocations" in parsed else query.steps(each.job):
            yield Row(each.job, step, ctx.world, ctx.now)


class _Table:
    """How rows become lines: in columns, or with a delimiter."""

    def __init__(self, columns: Sequence[_Column], parsed: Parsed) -> None:
        self.columns = columns
        self.delimiter = (parsed["delimiter"] or "|") if "parsable" in parsed or "parsable2" in parsed else ""
        self.ends = "parsable" in parsed and "parsable2" not in parsed

    def heading(self) -> list[str]:
        """The names, and a line of dashes under columns."""
        names = [each.field.name for each in self.columns]
        if self.delimiter:
            return [self._joined(names)]
        cells = [_fitted(name[: abs(each.width)], each.width) for name, each in zip(names, self.columns, strict=True)]
        return ["".join(cells), "".join("-" * abs(each.width) + " " for each in self.columns)]

    def line(self, row: Row) -> str:
        """A row."""
        values = [each.field.show(row) for each in self.columns]
        if self.delimiter:
            return self._joined([value or "" for value in values])
        return "".join(_cell(value or "", each.width) for value, each in zip(values, self.columns, strict=True))

    def _joined(self, cells: Sequence[str]) -> str:
        return self.delimiter.join(cells) + (self.delimiter if self.ends else "")


def _cell(value: str, width: int) -> str:
    """A value in its column; what does not fit ends with a plus sign."""
    size = abs(width)
    return _fitted(value if len(value) <= size else f"{value[: size - 1]}+", width)


def _fitted(text: str, width: int) -> str:
    return (text.ljust(-width) if width < 0 else text.rjust(width)) + " "


def _list_fields(ctx: Context) -> None:
    """Four names a line, each padded to the same width."""
    for index in range(0, len(ACCOUNT_FIELDS), 4):
        ctx.line(" ".join(f"{field.name:<19}" for field in ACCOUNT_FIELDS[index : index + 4]))


def _columns(ctx: Context, parsed: Parsed) -> list[_Column]:
    if "long" in parsed and "format" in parsed:
        text = "Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry."
        raise UsageError(f"sacct: fatal: {text}\n")
    given = [*parsed.all("format"), *([_BRIEF] if "brief" in parsed else []), *([_LONG] if "long" in parsed else [])]
    listed = ",".join(given) or ctx.environment.get("SACCT_FORMAT") or _DEFAULT
    found: list[_Column] = []
    for word in words(listed):
        name, percent, size = word.strip().partition("%")
        if name and "all".startswith(name.lower()) and len(name) == len("all"):
            found += [_Column(field, field.width) for field in ACCOUNT_FIELDS if field.modelled]
            continue
        field = account_field(name)
        if field is None:
            raise fail(ctx, f'Invalid field requested: "{name}"')
        number = re.match(r"-?\d{1,4}", size)
        found.append(_Column(field, int(number[0]) if percent and number else field.width))
    return found


def _query(ctx: Context, parsed: Parsed) -> _Query:
    states = frozenset(_state(word) for text in parsed.all("state") for word in words(text))
    picked = tuple(_picked(word) for text in parsed.all("jobs") for word in words(text))
    start, end = _span(ctx, parsed, bool(states), bool(picked))
    nodes = _hosts(ctx, parsed["nodelist"]) if "nodelist" in parsed else frozenset[str]()
    return _Query(
        start,
        end,
        states,
        _users(ctx, parsed, bool(picked or nodes)),
        picked,
        nodes,
        (
            (words(parsed["accounts"] or ""), lambda job: job.account),
            (words(parsed["partition"] or ""), lambda job: job.partition),
            (words(parsed["name"] or ""), lambda job: job.name),
            (words(parsed["qos"] or ""), lambda job: job.qos),
        ),
    )


def _span(ctx: Context, parsed: Parsed, by_state: bool, by_job: bool) -> tuple[int, int]:
    """The time that is asked for: today up to now, and other defaults with -s and -j."""
    now = ctx.now // SECOND * SECOND
    start, end = _time(ctx, parsed["starttime"]), _time(ctx, parsed["endtime"])
    if by_state:
        start = now if start is None and not by_job else start
        end = start if end is None else end
    elif start is None and not by_job:
        start = parse_moment("today", ctx.inventory, ctx.now)
    end = now if end is None else end
    if start is not None and start > end:
        shown = [timestamp(ctx.inventory, time) for time in (start, end)]
        raise fail(ctx, f"Start time ({shown[0]}) requested is after end time ({shown[1]}).")
    return _BEGINNING if start is None else start, end + SECOND if end in (start, now) else end


def _time(ctx: Context, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return parse_moment(text, ctx.inventory, ctx.now, past=True)
    except ValueError:
        raise UsageError(f"Invalid time specification (pos=0): {text}\n") from None


def _state(word: str) -> str:
    state = next((state for state in JobState if word.upper() in (state.name, state.value)), None)
    if word.upper() in ("REQUEUED", "RQ"):
        return "REQUEUED"
    if state is None:
        raise UsageError(f"sacct: fatal: unrecognized job state value '{word}'\n")
    if state is JobState.COMPLETING:
        raise UsageError("sacct: fatal: job state COMPLETING is not supported / accounted\n")
    return state.name


def _picked(word: str) -> tuple[int, tuple[int, ...], str]:
    match = re.fullmatch(r"(\d{1,18}(?:_(?:\d+|\*|\[[\d,:-]+\]))?)(?:\+\d+)?(?:\.(\w+))?", word)
    meant = arrays.parse_id(match[1]) if match else None
    if match is None or meant is None:
        raise UsageError(f"sacct: fatal: Bad job/step specified: {word}\n")
    return *meant, match[2] or ""


def _users(ctx: Context, parsed: Parsed, everyone: bool) -> frozenset[str] | None:
    """Whose jobs: None is everybody's."""
    named = [word for text in parsed.all("user") for word in words(text)]
    if named and named != ["-1"] and "allusers" not in parsed:
        known = {word: user_name(ctx, word) for word in named}
        for word, name in known.items():
            if name is None:
                error(ctx, f"Invalid user id: {word}")
                raise UsageError("")
        return frozenset(name for name in known.values() if name)
    if "allusers" in parsed or named or everyone or ctx.is_root:
        return None
    return frozenset({ctx.identity.name})


def _hosts(ctx: Context, text: str) -> frozenset[str]:
    try:
        return frozenset(expand(text))
    except BreakfixError:
        raise fail(ctx, f"Invalid node list: {text}") from None


COMMAND = command(
    Tool(
        "sacct",
        "show the accounting of Slurm's jobs",
        "sacct [OPTIONS]",
        OPTIONS,
        run,
        manual="Shows jobs with their steps, finished ones too: yours since midnight, or as the options say "
        "(sacct -a -S 2026-11-23 -s NF,F --format=JobID,User,State%20,Elapsed,NodeList%30).",
    )
)

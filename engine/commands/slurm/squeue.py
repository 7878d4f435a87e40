"""squeue: the jobs that slurmctld keeps.

Slurm 24.11. Source: SchedMD/slurm src/squeue/opts.c, print.c and sort.c; compared with 22.05 on a cluster of 21 nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError
from engine.commands.slurm._support.client import Tool, command, error, fail, reach, user_name, words
from engine.commands.slurm._support.columns import Field, Format, R, parse_long, parse_short
from engine.commands.slurm._support.job_facts import JobFacts
from engine.commands.slurm._support.job_fields import JOB_FIELDS, STEP_FIELDS, StepFacts
from engine.control.slurm import arrays, jobs
from engine.control.slurm.configuration import in_force
from engine.control.slurm.jobs import JobState
from engine.control.slurm.numbers import whole
from engine.control.slurm.times import date_line
from engine.control.slurm.version import at_least
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.kernel.units import SECOND
from engine.world.records import Job

_PLAIN = "jobarrayid:.18 ,partition:.9 ,name:.8 ,username:.8 ,statecompact:.2 ,timeused:.10 ,numnodes:.6 ,reasonlist:0"
_LONG = _PLAIN.replace("statecompact:.2 ,timeused:.10", "state:.8 ,timeused:.10 ,timelimit:.9")
_STEPS = "%.15i %.8j %.9P %.8u %.9M %N"
_OTHER_STATES = (
    "COMPLETING,CONFIGURING,RESIZING,RESV_DEL_HOLD,REQUEUED,REQUEUE_FED,REQUEUE_HOLD,REVOKED,SIGNALING,SPECIAL_EXIT,"
    "STAGE_OUT,STOPPED"
)
_OTHER_CODES = {"CF", "RS", "RD", "RQ", "RF", "RH", "RV", "SI", "SE", "SO", "ST"}

OPTIONS = (
    Option("A", "accounts", "ACCOUNTS", help="jobs of these accounts"),
    Option("a", "all", help="jobs in hidden partitions too"),
    Option("r", "array", help="one line for each task of a job array"),
    Option("O", "Format", "FORMAT", help="fields by their names", name="long_format"),
    Option("o", "format", "FORMAT", help="fields by their letters"),
    Option(long="federation", help="jobs of a federation"),
    Option(long="helpstate", help="list the states"),
    Option(long="hide", help="no jobs in hidden partitions"),
    Option("i", "iterate", "SECONDS", help="print again every so many seconds"),
    Option("j", "jobs", "JOBS", optional=True, help="these jobs"),
    Option(long="local", help="this cluster only"),
    Option("l", "long", help="show more columns"),
    Option("L", "licenses", "LICENSES", help="jobs that ask for these licenses"),
    Option("M", "clusters", "NAMES", help="ask other clusters"),
    Option(long="me", help="my jobs"),
    Option("n", "name", "NAMES", help="jobs of these names"),
    Option(long="noconvert", help="do not convert units"),
    Option("w", "nodelist", "NODES", help="jobs on these nodes"),
    Option("h", "noheader", help="no heading"),
    Option(long="notme", help="jobs of others"),
    Option(long="only-job-state", help="ask for the states alone"),
    Option("p", "partitions", "PARTITIONS", help="jobs in these partitions"),
    Option("P", "priority", help="a job in several partitions once for each"),
    Option("q", "qos", "QOS", help="jobs of this quality of service"),
    Option("R", "reservation", "NAME", help="jobs in a reservation"),
    Option(long="sibling", help="sibling jobs of a federation"),
    Option("S", "sort", "FIELDS", help="sort by these letters"),
    Option(long="start", help="when pending jobs may start"),
    Option("s", "steps", "STEPS", optional=True, help="steps instead of jobs"),
    Option("t", "states", "STATES", help="jobs in these states, or all"),
    Option("u", "user", "USERS", help="jobs of these users"),
    Option("v", "verbose", help="say more"),
    Option(long="json", argument="VERSION", optional=True, help="JSON"),
    Option(long="yaml", argument="VERSION", optional=True, help="YAML"),
)
_GAPS = ("json", "yaml", "clusters", "federation", "sibling", "only_job_state")
_START = (
    "jobarrayid:.18 ,partition:.9 ,name:.8 ,username:.8 ,statecompact:.2 ,starttime:.19 ,numnodes:.6 ,schednodes:20 ,"
    "reasonlist:0"
)

_SORT_KEYS: dict[str, Callable[[JobFacts], Any]] = {
    "B": lambda facts: facts.job.nodes[:1],
    "C": lambda facts: jobs.total_cpus(facts.job),
    "D": lambda facts: facts.job.node_count,
    "e": lambda facts: facts.end or 0,
    "g": lambda facts: facts.group,
    "G": lambda facts: facts.user.gid,
    "i": lambda facts: (facts.job.array_job or facts.job.id, facts.job.array_task or 0),
    "j": lambda facts: facts.job.name,
    "l": lambda facts: facts.job.time_limit or 1 << 62,
    "L": lambda facts: (facts.job.time_limit or 1 << 62) - facts.seconds_used * SECOND,
    "m": lambda facts: facts.job.memory_request,
    "M": lambda facts: facts.seconds_used,
    "N": lambda facts: facts.nodes,
    "p": lambda facts: facts.priority,
    "P": lambda facts: facts.job.partition,
    "Q": lambda facts: facts.priority,
    "S": lambda facts: 1 << 62 if facts.start is None else facts.start,
    "t": lambda facts: jobs.state_code(facts.job),
    "T": lambda facts: jobs.state_name(facts.job),
    "u": lambda facts: facts.job.user,
    "U": lambda facts: facts.user.uid,
    "v": lambda facts: facts.job.reservation,
    "V": lambda facts: facts.job.submitted,
}
_SORTS_NOTHING = "cdfhHIJnOzb"


async def run(ctx: Context, parsed: Parsed) -> int:
    """Print once, or again and again with -i."""
    for gap in _GAPS:
        if gap in parsed:
            return ctx.not_modelled(f"squeue --{gap.replace('_', '-')}")
    if "helpstate" in parsed:
        ctx.line(_state_names(ctx).replace(",", "\n"))
        return 0
    _check(ctx, parsed)
    interval = parsed["iterate"]
    if interval is not None and not whole(interval):
        raise fail(ctx, f"--iterate={interval}\n")
    while True:
        status = _print(ctx, parsed)
        if interval is None:
            return status
        ctx.line()
        await ctx.sleep((whole(interval) or 1) * SECOND)


def _check(ctx: Context, parsed: Parsed) -> None:
    if "format" in parsed and "long_format" in parsed:
        raise fail(ctx, "-O (--Format) is incompatible with -o (--format)")
    if "format" in parsed and "long" in parsed and at_least(ctx.inventory, 23, 11):
        text = "Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry."
        raise UsageError(f"squeue: fatal: {text}\n")
    extra = parsed.operands[1:] if "jobs" in parsed or "steps" in parsed else parsed.operands
    if extra:
        raise UsageError(f"squeue: error: Unrecognized option: {extra[0]}\nUsage: {_USAGE}\n")


def _print(ctx: Context, parsed: Parsed) -> int:
    heading = "noheader" not in parsed
    wanted = _Filter(ctx, parsed)
    if heading and ("long" in parsed or "iterate" in parsed or "verbose" in parsed):
        ctx.line(date_line(ctx.inventory, ctx.now))
    refused = reach(ctx)
    if refused:
        ctx.error(f"slurm_load_jobs error: {refused.text}")
        return 1
    wanted.check_nodes(ctx)
    known = arrays.as_listed(ctx.world, jobs.remembered(ctx.world, ctx.now))
    if wanted.jobs is not None and len(wanted.jobs) == 1 and not any(wanted.is_asked_for(job) for job in known):
        ctx.error("slurm_load_jobs error: Invalid job id specified")
        return 1
    each_task = "array" in parsed or "SQUEUE_ARRAY" in ctx.environment
    shown = [task for job in known for task in (arrays.each_task(job) if each_task else (job,))]
    facts = [JobFacts(job, ctx.world, ctx.now) for job in shown if wanted.passes(job)]
    if "steps" in parsed:
        lines = _step_lines(ctx, parsed, facts, heading)
    else:
        default = "S" if "start" in parsed else ctx.environment.get("SQUEUE_SORT", "P,t,-p")
        order = parsed["sort"] or default
        lines = _job_format(ctx, parsed).lines(_sorted(ctx, facts, order), heading)
    for line in lines:
        ctx.line(line)
    return 0


def _job_format(ctx: Context, parsed: Parsed) -> Format[JobFacts]:
    if "long_format" in parsed:
        return _told(ctx, parse_long(parsed["long_format"], JOB_FIELDS), "job")
    short = parsed["format"] or ("" if "long" in parsed else ctx.environment.get("SQUEUE_FORMAT", ""))
    if short:
        return _told(ctx, parse_short(short, JOB_FIELDS), "job")
    if "long" not in parsed and (long := ctx.environment.get("SQUEUE_FORMAT2", "")):
        return _told(ctx, parse_long(long, JOB_FIELDS), "job")
    if "start" in parsed:
        return parse_long(_START, JOB_FIELDS)
    return parse_long(_LONG if "long" in parsed else _PLAIN, JOB_FIELDS)


def _step_lines(ctx: Context, parsed: Parsed, facts: Sequence[JobFacts], heading: bool) -> list[str]:
    known: Sequence[Field[StepFacts]] = STEP_FIELDS
    if "long_format" in parsed:
        form = _told(ctx, parse_long(parsed["long_format"], known), "job step")
    else:
        form = _told(ctx, parse_short(parsed["format"] or _STEPS, known), "job step")
    chosen = words(parsed["steps"] or (parsed.operands[0] if parsed.operands else ""))
    steps = [StepFacts(each, step) for each in facts for step in each.job.steps if step.ended is None]
    steps = [step for step in steps if not chosen or step.id in chosen or str(step.facts.job.id) in chosen]
    return form.lines(sorted(steps, key=_step_order), heading)


def _step_order(step: StepFacts) -> tuple[str, int, bool, str]:
    """By partition and number; the batch script comes last, as its number is the highest."""
    return step.facts.job.partition, step.facts.job.id, not step.step.id.isdigit(), step.step.id.zfill(9)


def _told(ctx: Context, form: Format[R], what: str) -> Format[R]:
    for name in form.unknown:
        error(ctx, f"Invalid {what} format specification: {name}")
    return form


def _sorted(ctx: Context, facts: Sequence[JobFacts], order: str) -> list[JobFacts]:
    """Jobs by the letters of -S, the first one first; those alike stand as slurmctld keeps them."""
    result = list(facts)
    for index in range(len(order) - 1, -1, -1):
        letter = order[index]
        if letter in ",+-" or letter in _SORTS_NOTHING:
            continue
        if letter not in _SORT_KEYS:
            raise fail(ctx, f"Invalid sort specification: {letter}")
        result.sort(key=_SORT_KEYS[letter], reverse=index > 0 and order[index - 1] == "-")
    return result


def _state_names(ctx: Context) -> str:
    base = ",".join(state.name for state in JobState if state is not JobState.COMPLETING)
    names = f"{base},{_OTHER_STATES}"
    return names.lower() if at_least(ctx.inventory, 23, 11) else names


class _Filter:
    """Which jobs the options leave."""

    def __init__(self, ctx: Context, parsed: Parsed) -> None:
        environment = ctx.environment
        numbers = parsed["jobs"] or (parsed.operands[0] if "jobs" in parsed and parsed.operands else "")
        self.jobs = _numbers(ctx, numbers) if numbers else None
        default = "PENDING" if "start" in parsed else environment.get("SQUEUE_STATES", "")
        self.states = _states(ctx, parsed["states"] or default)
        self.users = _users(ctx, parsed["user"] or environment.get("SQUEUE_USERS", ""))
        if "me" in parsed:
            self.users = {ctx.identity.name}
        self.not_me = ctx.identity.name if "notme" in parsed else ""
        self.nodes = _hosts(ctx, parsed["nodelist"]) if "nodelist" in parsed else None
        self.lists: list[tuple[list[str], Callable[[Job], str]]] = [
            (words(parsed["accounts"] or environment.get("SQUEUE_ACCOUNT", "")), lambda job: job.account),
            (words(parsed["partitions"] or environment.get("SQUEUE_PARTITION", "")), lambda job: job.partition),
            (words(parsed["name"] or environment.get("SQUEUE_NAMES", "")), lambda job: job.name),
            (words(parsed["qos"] or environment.get("SQUEUE_QOS", "")), lambda job: job.qos),
            (words(parsed["reservation"] or ""), lambda job: job.reservation),
            (words(parsed["licenses"] or ""), lambda job: ""),
        ]

    def check_nodes(self, ctx: Context) -> None:
        """Nodes that slurm.conf does not have are refused."""
        known = in_force(ctx.world).nodes
        for name in self.nodes or ():
            if name not in known:
                raise fail(ctx, f"Invalid node name {name}")

    def is_asked_for(self, job: Job) -> bool:
        """Whether -j names the job, its array, or its task."""
        for number, tasks in self.jobs or ():
            if number in (job.id, job.array_job) and (
                not tasks or job.array_task in tasks or set(tasks) & set(job.array_tasks)
            ):
                return True
        return False

    def passes(self, job: Job) -> bool:
        """Whether the job is shown."""
        if self.jobs is not None and not self.is_asked_for(job):
            return False
        if (self.users is not None and job.user not in self.users) or job.user == self.not_me:
            return False
        if self.nodes is not None and not set(job.nodes) & set(self.nodes):
            return False
        if any(wanted and value(job) not in wanted for wanted, value in self.lists):
            return False
        if self.states == {"all"}:
            return True
        return jobs.state_name(job) in (self.states or {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING"})


def _numbers(ctx: Context, text: str) -> list[tuple[int, tuple[int, ...]]]:
    found = []
    for word in re.findall(r"[^,\[]+(?:\[[^\]]*\])?", text):
        number = arrays.parse_id(word)
        if number is None:
            raise fail(ctx, f"Invalid job id: {word}")
        found.append(number)
    return found


def _states(ctx: Context, text: str) -> set[str]:
    if text.lower() == "all":
        return {"all"}
    found = set()
    for word in words(text):
        upper = word.upper()
        state = next((state for state in JobState if upper in (state.name, state.value)), None)
        if state is None and upper not in _OTHER_STATES.split(",") and upper not in _OTHER_CODES:
            lines = f"squeue: error: Invalid job state specified: {word}\n"
            raise UsageError(f"{lines}squeue: error: Valid job states include: {_state_names(ctx)}\n\n")
        found.add(state.name if state else upper)
    return found


def _users(ctx: Context, text: str) -> set[str] | None:
    """Users by name or uid. One that there is none of is named, and matches no job."""
    if not text:
        return None
    names = {word: user_name(ctx, word) for word in words(text)}
    for word, name in names.items():
        if name is None:
            error(ctx, f"Invalid user: {word}\n")
    return {name for name in names.values() if name is not None}


def _hosts(ctx: Context, text: str) -> list[str]:
    try:
        return [ctx.host if name == "localhost" else name for name in expand(text)]
    except BreakfixError:
        raise fail(ctx, f"'{text}' invalid entry for --nodelist") from None


_USAGE = (
    "squeue [-A account] [-i seconds] [-j jobs] [-n name] [-o format] [-p partitions] [--qos qos] [--sort fields] "
    "[-s steps] [-t states] [-u users] [-w nodes] [-ahlrPv]"
)

COMMAND = command(
    Tool(
        "squeue",
        "view information about jobs in the Slurm queue",
        _USAGE,
        OPTIONS,
        run,
        manual="Shows pending, running and completing jobs, and for five minutes those that are over (-t all). For a "
        "pending job the last column tells in brackets why it waits.",
    )
)

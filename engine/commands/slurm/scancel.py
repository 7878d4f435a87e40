"""scancel: end jobs, or send them a signal.

Slurm 24.11. Source: SchedMD/slurm src/scancel/opt.c and scancel.c; compared with 22.05. The exit status is the number
of the worst error, modulo 256 (210: permission denied, 8: no controller).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError
from engine.commands.slurm._support.client import Tool, command, error, fail, known_jobs, reach, user_name
from engine.control.slurm import arrays, jobs
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.jobs import JobState
from engine.control.slurm.numbers import whole
from engine.control.slurm.queue import CancelJob
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.world.records import Job

_KILL = 9
_SIGNALS = {
    "HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "USR1": 10, "USR2": 12, "ALRM": 14, "TERM": 15, "CONT": 18,
    "STOP": 19, "TSTP": 20, "TTIN": 21, "TTOU": 22, "URG": 23,
}  # fmt: skip

OPTIONS = (
    Option("A", "account", "ACCOUNT", help="jobs of this account"),
    Option("b", "batch", help="signal the batch script alone"),
    Option("c", "cron", help="cancel a job of scrontab"),
    Option(long="ctld", help="let slurmctld choose the jobs"),
    Option("f", "full", help="signal the batch script and its children too"),
    Option("H", "hurry", help="do not stage out"),
    Option("i", "interactive", help="ask for each job"),
    Option("M", "clusters", "NAMES", help="jobs of other clusters"),
    Option(long="me", help="my jobs"),
    Option("n", "name", "NAME", help="jobs of this name"),
    Option(long="jobname", argument="NAME", name="name", help="the same"),
    Option("w", "nodelist", "NODES", help="jobs on these nodes"),
    Option("p", "partition", "PARTITION", help="jobs in this partition"),
    Option("q", "qos", "QOS", help="jobs of this quality of service"),
    Option("Q", "quiet", help="say nothing of jobs that are over"),
    Option("R", "reservation", "NAME", help="jobs in this reservation"),
    Option(long="sibling", argument="CLUSTER", help="a sibling job of a federation"),
    Option("s", "signal", "SIGNAL", help="send this signal instead of ending the job"),
    Option("t", "state", "STATE", help="jobs in this state: PENDING, RUNNING or SUSPENDED"),
    Option("u", "user", "USER", help="jobs of this user"),
    Option("v", "verbose", help="say more"),
    Option(long="wckey", argument="KEY", help="jobs with this key"),
)
_GAPS = ("clusters", "cron", "sibling", "wckey")
_FILTERS = ("account", "name", "nodelist", "partition", "qos", "reservation", "state", "user")


_Named = tuple[int, tuple[int, ...], str]
"""A job that is named: its number, the tasks of its array (none: all), and what was typed."""


@dataclass(slots=True)
class _Run:
    """One run: what is sent, and the worst error so far."""

    ctx: Context
    signal: int | None
    verbose: bool
    status: int = 0
    filters: dict[str, str] = field(default_factory=dict)

    def cancel(self, number: int, tasks: tuple[int, ...] = (), shown: str = "") -> None:
        """Send the request for one job, or for tasks of an array. That it is over already is no error."""
        what = f"Signal {self.signal} to" if self.signal else "Terminating"
        name = shown or str(number)
        if self.verbose:
            self.ctx.error(f"scancel: {what} job {name}")
        by = self.ctx.identity.name
        refused = reach(self.ctx) or self.ctx.simulation.apply(CancelJob(number, by, self.signal or _KILL, tasks))
        over = refused in (SlurmError.ALREADY_DONE, SlurmError.INVALID_JOB)
        if refused and (self.verbose or not over):
            error(self.ctx, f"Kill job error on job id {name}: {refused.text}")
        if refused and not (over and (self.signal or _KILL) == _KILL):
            self.status = max(self.status, refused.number)


async def run(ctx: Context, parsed: Parsed) -> int:
    """Cancel the jobs that are named, or those that the options choose."""
    for gap in _GAPS:
        if gap in parsed:
            return ctx.not_modelled(f"scancel --{gap}")
    filters = _filters(ctx, parsed)
    signal = _signal(parsed["signal"]) if "signal" in parsed else None
    numbers = _numbers(ctx, parsed.operands)
    if numbers is None:
        return ctx.not_modelled("scancel of a job step")
    user = filters.get("user")
    if user is not None:
        name = user_name(ctx, user)
        if name is None:
            raise fail(ctx, f"Invalid user name: {user}")
        filters["user"] = name
    if not numbers and not filters:
        raise fail(ctx, "No job identification provided")
    verbose = parsed.count("verbose") > 0 and "quiet" not in parsed
    work = _Run(ctx, signal, verbose, filters=filters)
    if filters or signal or "interactive" in parsed or "batch" in parsed:
        await _cancel_chosen(work, numbers, "interactive" in parsed, "quiet" not in parsed)
    else:
        for number, tasks, shown in numbers:
            work.cancel(number, tasks, shown)
    return work.status % 256


async def _cancel_chosen(work: _Run, numbers: list[_Named], asks: bool, tells: bool) -> None:
    """Load the queue, take the jobs that all filters leave, pending ones first."""
    ctx = work.ctx
    refused = reach(ctx)
    if refused:
        raise UsageError(f"slurm_load_jobs error: {refused.text}\n")
    active = [job for job in jobs.active(ctx.world) if not jobs.is_over(job)]
    for number, _, shown in numbers:
        if not any(number in (job.id, job.array_job) for job in active):
            work.status = max(work.status, 1)
            if tells:
                error(ctx, f"Kill job error on job id {shown}: {SlurmError.INVALID_JOB.text}")
    meant = {job.id for number, tasks, _ in numbers for job in arrays.addressed(ctx.world, number, tasks)}
    chosen = [job for job in active if (not numbers or job.id in meant) and _matches(job, work.filters)]
    if not chosen and work.filters and work.verbose:
        listed = "".join(f"{'user_name' if name == 'user' else name}={text} " for name, text in work.filters.items())
        error(ctx, f"No active jobs match ALL job filters, including: {listed}")
    for job in sorted(chosen, key=lambda job: job.state != "PENDING"):
        if not asks or await _confirmed(ctx, job):
            own = () if job.array_task is None else (job.array_task,)
            work.cancel(job.array_job or job.id, own or job.array_tasks, arrays.shown_id(job))


async def _confirmed(ctx: Context, job: Job) -> bool:
    question = f"Cancel job_id={job.id} name={job.name} partition={job.partition} [y/n]? "
    while True:
        answer = await _answer(ctx, question)
        if answer is None or answer[:1].lower() == "n":
            return False
        if answer[:1].lower() == "y":
            return True


async def _answer(ctx: Context, question: str) -> str | None:
    """A line from standard input, piped or typed; None at its end."""
    if ctx.terminal and not ctx.stdin.attached:
        return await ctx.terminal.ask(question)
    ctx.write(question)
    async for line in ctx.stdin.lines():
        return line.decode("utf-8", "replace")
    return None


def _filters(ctx: Context, parsed: Parsed) -> dict[str, str]:
    found = {}
    for name in _FILTERS:
        value = parsed[name] or ctx.environment.get(f"SCANCEL_{name.upper()}")
        if value:
            found[name] = value.lower() if name in ("account", "qos") else value
    if "me" in parsed:
        found["user"] = ctx.identity.name
    if "state" in found:
        found["state"] = _state(found["state"])
    return found


def _state(text: str) -> str:
    state = next((state for state in JobState if text.upper() in (state.name, state.value)), None)
    if state is None:
        valid = "Valid job states are PENDING, RUNNING, and SUSPENDED"
        raise UsageError(f"Invalid job state specified: {text}\n{valid}\n")
    return state.name


def _signal(text: str) -> int:
    name = text.upper().removeprefix("SIG")
    number = whole(text) or _SIGNALS.get(name, 0)
    if not 0 < number < 65:
        raise UsageError(f"Unknown job signal: {text}\n")
    return number


def _numbers(ctx: Context, words: list[str]) -> list[_Named] | None:
    """The jobs that are named, in order; None where a step is."""
    found: list[_Named] = []
    for word in words:
        for part in re.findall(r"[^,\[]+(?:\[[^\]]*\][^,]*)?", word) or [word]:
            match = re.fullmatch(r"(\d{1,18}(?:_(?:\d+|\*|\[[\d,:-]+\]))?)(?:\+\d+)?(\.\w*)?", part)
            meant = arrays.parse_id(match[1]) if match else None
            if match is None or meant is None:
                raise fail(ctx, f"Invalid job id {word}")
            if match[2]:
                return None
            found.append((*meant, match[1]))
    return found


def _matches(job: Job, filters: dict[str, str]) -> bool:
    return all(_TESTS[name](job, text) for name, text in filters.items())


def _on_nodes(job: Job, text: str) -> bool:
    try:
        return not set(expand(text)).isdisjoint(job.nodes)
    except BreakfixError:
        return False


_TESTS: dict[str, Callable[[Job, str], bool]] = {
    "account": lambda job, text: job.account == text,
    "name": lambda job, text: job.name == text,
    "nodelist": _on_nodes,
    "partition": lambda job, text: job.partition == text,
    "qos": lambda job, text: job.qos == text,
    "reservation": lambda job, text: job.reservation == text,
    "state": lambda job, text: job.state == text,
    "user": lambda job, text: job.user == text,
}

COMMAND = command(
    Tool(
        "scancel",
        "end jobs of the Slurm queue, or send them a signal",
        "scancel [OPTIONS] [job_id[_array_id][.step_id]]",
        OPTIONS,
        run,
        manual="Ends the jobs that are named, or all that the options choose (scancel -u priya -t pending). Jobs of "
        "others may be ended by operators only.",
        complete=lambda ctx, words: known_jobs(ctx),
    )
)

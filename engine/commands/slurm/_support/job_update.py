"""What scontrol does to jobs: hold, release, requeue, and `update jobid=`.

Source: SchedMD/slurm 24.11 src/scontrol/update_job.c; texts compared with 22.05.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from engine.commands.slurm._support.client import reach
from engine.commands.slurm._support.session import Session, split, stands_for
from engine.control.slurm import arrays, jobs
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.numbers import whole
from engine.control.slurm.queue import HoldJob, RequeueJob, UpdateJob
from engine.control.slurm.times import parse_limit, parse_moment
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.kernel.units import MINUTE

Request = Callable[[int], HoldJob | RequeueJob]

# Tags in the order in which scontrol tries them: (name, letters it takes, field; "" for what is not modelled).
_TAGS = (
    ("JobId", 3, "job"), ("AdminComment", 6, ""), ("SiteFactor", 5, ""), ("ArrayTaskThrottle", 10, "array_limit"),
    ("Comment", 3, "comment"), ("Clusters", 8, ""), ("ClusterFeatures", 8, ""), ("DelayBoot", 5, ""), ("Extra", 3, ""),
    ("TimeLimit", 5, "time_limit"), ("TimeMin", 5, ""), ("Priority", 2, "priority"), ("Nice", 2, "nice"),
    ("CPUsPerTask", 9, ""), ("CpusPerTres", 9, ""), ("NumCPUs", 6, ""), ("NumTasks", 8, ""), ("ReqProcs", 8, ""),
    ("Requeue", 4, "requeue"), ("ReqNodes", 8, "nodes"), ("NumNodes", 8, "nodes"), ("ReqSockets", 4, ""),
    ("ReqCores", 4, ""), ("TasksPerNode", 2, ""), ("ReqThreads", 4, ""), ("MinCPUsNode", 4, ""),
    ("MinMemoryNode", 10, ""), ("MinMemoryCPU", 10, ""), ("MinTmpDiskNode", 5, ""), ("Partition", 2, "partition"),
    ("QOS", 2, "qos"), ("ReservationName", 3, "reservation"), ("Name", 2, "name"), ("JobName", 4, "name"),
    ("WCKey", 1, ""), ("StdErr", 6, ""), ("StdIn", 5, ""), ("StdOut", 6, ""), ("Switches", 5, ""),
    ("wait-for-switch", 5, ""), ("OverSubscribe", 2, ""), ("Shared", 2, ""), ("Contiguous", 3, ""),
    ("CoreSpec", 4, ""), ("MemPerTres", 5, ""), ("ThreadSpec", 4, ""), ("TresBind", 5, ""), ("TresFreq", 5, ""),
    ("TresPerJob", 8, ""), ("TresPerNode", 8, ""), ("TresPerSocket", 8, ""), ("TresPerTask", 8, ""),
    ("ExcNodeList", 3, "exclude"), ("NodeList", 8, "node_list"), ("ReqNodeList", 8, "node_list"),
    ("Features", 1, "features"), ("Prefer", 3, ""), ("Gres", 2, ""), ("Account", 1, "account"), ("BurstBuffer", 1, ""),
    ("Dependency", 1, "dependency"), ("Licenses", 1, ""), ("EligibleTime", 2, "begin"), ("StartTime", 2, "begin"),
    ("EndTime", 2, ""), ("Reboot", 3, ""), ("UserID", 3, ""), ("Deadline", 3, ""), ("WorkDir", 2, ""),
    ("MailType", 5, ""), ("MailUser", 5, ""),
)  # fmt: skip


def hold(session: Session, keyword: str, arguments: Sequence[str]) -> None:
    """hold, uhold, holdu and release, for job numbers and `Name=` names."""
    by = session.ctx.identity.name
    user_hold, release = keyword.startswith(("holdu", "uhold")), keyword.startswith("rel")
    for argument in arguments:
        error = _each(session, argument, lambda job: HoldJob(job, by, release, user_hold), names=True)
        if error:
            session.failed("slurm_suspend error", error)


def requeue(session: Session, arguments: Sequence[str], *, held: bool = False) -> None:
    """requeue and requeuehold."""
    by = session.ctx.identity.name
    for argument in arguments:
        _each(session, argument, lambda job: RequeueJob(job, by, held))


def _each(session: Session, argument: str, request: Request, *, names: bool = False) -> SlurmError | None:
    """Apply a request to each job that is meant. Every refusal is told; the last is returned."""
    text = re.sub(r"(?i)^(?:jobid|job)=", "", argument)
    named = re.fullmatch(r"(?i)(?:job)?name=(.*)", text) if names else None
    numbers = job_numbers(session, text)
    if numbers is None and not named:
        session.complain(f"{SlurmError.INVALID_JOB.text} for job {text}")
        return SlurmError.INVALID_JOB
    if numbers is None and named:
        known = jobs.remembered(session.ctx.world, session.ctx.now) if session.reached("slurm_load_job error") else []
        numbers = [job.id for job in known if job.name == named[1]]
    last = None
    for number in numbers or ():
        error = _send(session, request(number))
        if error:
            session.complain(f"{error.text} for job {number}")
            last = error
    return last


def _send(session: Session, action: HoldJob | RequeueJob | UpdateJob) -> SlurmError | None:
    refused = reach(session.ctx)
    return refused if refused else session.ctx.simulation.apply(action)


def job_numbers(session: Session, text: str) -> list[int] | None:
    """The numbers of the jobs that `12,14`, `[12-14]`, `5_3` or an array's number mean; None for what is none."""
    if "_" in text:
        meant = arrays.parse_id(text)
        return [job.id for job in arrays.addressed(session.ctx.world, *meant)] or [meant[0]] if meant else None
    plain = _plain_numbers(text)
    if plain is None:
        return None
    found = []
    for number in plain:
        live = [job.id for job in arrays.addressed(session.ctx.world, number) if not jobs.is_over(job)]
        found += live or [number]
    return found


def _plain_numbers(text: str) -> list[int] | None:
    if not re.fullmatch(r"[\d,\[\]-]+", text):
        return None
    try:
        found = [whole(word) for word in expand(text)]
    except BreakfixError:
        return None
    numbers = [number for number in found if number is not None]
    return numbers if numbers and len(numbers) == len(found) else None


def update_job(session: Session, arguments: Sequence[str]) -> None:
    """Change jobs as `tag=value` arguments say."""
    given: dict[str, Any] = {}
    words = list(arguments)
    while words:
        argument = words.pop(0)
        tag, value = split(argument)
        if value is None and words:
            value = words.pop(0)
        if value is None:
            session.refuse(f"Invalid input: {argument}\nRequest aborted")
            return
        if not _take(session, argument, tag, value, given):
            return
    numbers = given.pop("job", None)
    if not given:
        session.refuse("No changes specified")
    elif numbers is None:
        session.error("No job ID specified")
    else:
        for number in numbers:
            _update_one(session, number, given)


def _take(session: Session, argument: str, tag: str, value: str, given: dict[str, Any]) -> bool:
    """Understand one argument. False if it was refused."""
    adds = tag[-1:] if tag[-1:] in "+-" else ""
    entry = next((entry for entry in _TAGS if stands_for(tag.rstrip("+-"), entry[0], entry[1])), None)
    if entry is None:
        session.refuse(f"Update of this parameter is not supported: {argument}\nRequest aborted")
        return False
    name, _, field = entry
    if not field:
        session.gap(f"scontrol update {name} of a job")
        return False
    if adds and field != "time_limit":
        session.error(f"Option {tag} does not accept [+|-]= syntax")
        return False
    try:
        given[field] = _READ[field](session, adds + value)
    except ValueError as refused:
        if field == "job":
            session.complain(f"{SlurmError.INVALID_JOB.text} for job {value}")
        else:
            session.error(str(refused) if field == "time_limit" else f"Invalid {name} value: {value}")
        return False
    return True


def _update_one(session: Session, number: int, given: dict[str, Any]) -> None:
    changes = dict(given)
    if "time_limit" in changes:
        sign, limit = changes["time_limit"]
        if sign:
            job = jobs.job(session.ctx.world, number)
            now = job.time_limit if job else 0
            if not now:
                session.error("Cannot increment/decrement TimeLimit when set to UNLIMITED.")
                return
            if sign == "-" and limit > now:
                shown = f"({limit // MINUTE} > {now // MINUTE})"
                session.error(f"TimeLimit decrement larger than current time limit {shown}")
                return
            limit = now + limit if sign == "+" else now - limit
        changes["time_limit"] = limit
    error = _send(session, UpdateJob(number, session.ctx.identity.name, **changes))
    if error:
        session.complain(f"{error.text} for job {number}")


def _jobs(session: Session, text: str) -> list[int]:
    numbers = job_numbers(session, text)
    if numbers is None:
        raise ValueError(text)
    return numbers


def _time_limit(session: Session, text: str) -> tuple[str, int]:
    """(`+` or `-` for a change, ns); 0 is no limit."""
    del session
    sign = text[:1] if text[:1] in ("+", "-") else ""
    try:
        return sign, parse_limit(text.removeprefix(sign)) or 0
    except ValueError:
        raise ValueError("Invalid TimeLimit value") from None


def _moment(session: Session, text: str) -> int:
    ctx = session.ctx
    return max(parse_moment(text, ctx.inventory, ctx.now), ctx.now)


def _number(session: Session, text: str) -> int:
    del session
    number = whole(text)
    if number is None:
        raise ValueError(text)
    return number


def _signed(session: Session, text: str) -> int:
    """A nice value."""
    del session
    if not re.fullmatch(r"-?\d{1,10}", text):
        raise ValueError(text)
    return int(text)


def _hosts(session: Session, text: str) -> tuple[str, ...]:
    del session
    try:
        return tuple(expand(text)) if text else ()
    except BreakfixError:
        raise ValueError(text) from None


def _text(session: Session, text: str) -> str:
    del session
    return text


_READ: dict[str, Callable[[Session, str], Any]] = {
    "job": _jobs,
    "comment": _text,
    "dependency": _text,
    "time_limit": _time_limit,
    "priority": _number,
    "requeue": lambda session, text: bool(_number(session, text)),
    "nodes": _number,
    "array_limit": _number,
    "nice": _signed,
    "qos": _text,
    "reservation": _text,
    "features": _text,
    "account": _text,
    "partition": _text,
    "name": _text,
    "exclude": _hosts,
    "node_list": _hosts,
    "begin": _moment,
}

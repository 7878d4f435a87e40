"""scontrol: look at and change nodes, jobs and partitions.

Slurm 24.11. Source: SchedMD/slurm src/scontrol/scontrol.c; compared with 22.05. Keywords may be shortened. Without one
scontrol reads lines until the end.
"""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.commands.slurm._support import local_steps
from engine.commands.slurm._support.client import known_jobs, readable
from engine.commands.slurm._support.job_update import hold, requeue, update_job
from engine.commands.slurm._support.node_update import cancel_reboot, reboot, update_node
from engine.commands.slurm._support.partition_update import update_partition
from engine.commands.slurm._support.reservation_update import (
    create_reservation,
    delete_reservation,
    update_reservation,
)
from engine.commands.slurm._support.session import QUIET, VERBOSE, Session, split, stands_for
from engine.commands.slurm._support.show import completing, entities, ping, show
from engine.control.slurm import charge, jobs
from engine.control.slurm.administration import Reconfigure
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.failover import TakeOver
from engine.control.slurm.numbers import whole
from engine.control.slurm.version import version_line
from engine.hostfs.tree import FileError

Do = Callable[[Session, Sequence[str]], None]

OPTIONS = (
    Option("a", "all", help="show hidden partitions too"),
    Option("d", "details", help="show more details"),
    Option(long="federation", help="show jobs of the federation"),
    Option("F", "future", help="show nodes in FUTURE state"),
    Option("h", "help", help="show this help and exit"),
    Option(long="hide", help="do not show hidden partitions"),
    Option(long="json", argument="VERSION", optional=True, help="JSON"),
    Option(long="local", help="this cluster only"),
    Option("M", "clusters", "NAMES", help="ask another cluster"),
    Option(long="cluster", argument="NAME", name="clusters", help="the same"),
    Option("o", "oneliner", help="one line for each record"),
    Option("Q", "quiet", help="errors only"),
    Option(long="sibling", help="show sibling jobs of a federation"),
    Option("u", "uid", "USER", help="change jobs as this user"),
    Option(long="usage", name="help", help="show the usage and exit"),
    Option("v", "verbose", help="say more"),
    Option("V", "version", help="print the version and exit"),
    Option(long="yaml", argument="VERSION", optional=True, help="YAML"),
)
_GAPS = ("json", "yaml", "clusters", "federation", "sibling", "uid")
_USAGE = "scontrol [OPTIONS] [COMMAND]"


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword: how many letters it takes, how many words may follow, and what it does."""

    name: str
    least: int
    do: Do
    fewest: int = 0
    most: int | None = 0
    wanting: str = "too few arguments for keyword:"
    help: str = ""


async def run(ctx: Context) -> int:
    """One command of the line, or many from standard input."""
    trailer = 'Try "scontrol --help" for more information'
    try:
        parsed = parse("scontrol", OPTIONS, ctx.arguments, trailer=trailer)
    except UsageError as refused:
        ctx.stderr.write(refused.text.encode("utf-8", "surrogateescape"))
        return refused.status
    for gap in _GAPS:
        if gap in parsed:
            return ctx.not_modelled(f"scontrol --{gap}")
    session = _session(ctx, parsed)
    if "help" in parsed:
        _help(session, ())
    elif "version" in parsed:
        ctx.line(version_line(ctx.inventory))
    elif not readable(ctx):
        return 1
    elif parsed.operands:
        process(session, parsed.operands)
    else:
        await _converse(session)
    return session.status


def _session(ctx: Context, parsed: Parsed) -> Session:
    session = Session(ctx, every="all" in parsed or "SCONTROL_ALL" in ctx.environment)
    session.detail, session.one_line = "details" in parsed, "oneliner" in parsed
    session.quiet = VERBOSE if "verbose" in parsed else QUIET if "quiet" in parsed else 0
    return session


async def _converse(session: Session) -> None:
    """Lines until the end of input or `exit`."""
    last = ""
    async for text in _lines(session.ctx):
        line = last if text.strip() == "!!" else text
        last = line
        if words := _words(line):
            process(session, words)
        await session.ctx.flush()
        if session.finished:
            return
    session.ctx.line()


async def _lines(ctx: Context) -> AsyncIterator[str]:
    if ctx.stdin.attached:
        async for line in ctx.stdin.lines():
            text = line.decode("utf-8", "surrogateescape").rstrip("\n")
            ctx.line(f"scontrol: {text}")
            yield text
        ctx.write("scontrol: ")
        return
    while ctx.terminal and (answer := await ctx.terminal.ask("scontrol: ")) is not None:
        yield answer


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def process(session: Session, words: Sequence[str]) -> None:
    """Do what one line says."""
    tag, arguments = words[0], words[1:]
    keyword = next((each for each in _KEYWORDS if stands_for(tag, each.name, each.least)), None)
    if keyword is None:
        session.refuse(f"invalid keyword: {tag}")
    elif len(arguments) < keyword.fewest:
        few = keyword.wanting
        session.refuse(f"{few}{tag}" if few.endswith(":") else few.format(tag))
    elif keyword.most is not None and len(arguments) > keyword.most:
        session.refuse(f"too many arguments for keyword:{tag}")
    else:
        keyword.do(session, arguments)


def _update(session: Session, arguments: Sequence[str]) -> None:
    """What is updated follows from the tags: a job first, then a node."""
    tags = [split(argument)[0].rstrip("+-") for argument in arguments]
    for kind, names, update in _UPDATES:
        if any(stands_for(tag, name, least) for tag in tags for name, least in names):
            update(session, arguments) if update else session.gap(f"scontrol update of a {kind}")
            return
    session.refuse(
        "No valid entity in update command\nInput line must include "
        '"NodeName", "PartitionName", "Reservation", "JobId", or "SlurmctldDebug"'
    )


_UPDATES: tuple[tuple[str, tuple[tuple[str, int], ...], Do | None], ...] = (
    ("job", (("JobId", 3), ("JobName", 3)), update_job),
    ("step", (("StepId", 4),), None),
    ("reservation", (("ReservationName", 3),), update_reservation),
    ("node", (("NodeName", 3),), update_node),
    ("partition", (("PartitionName", 3),), update_partition),
    ("debug level", (("SlurmctldDebug", 2),), None),
)


def _create(session: Session, arguments: Sequence[str]) -> None:
    """A reservation; nodes and partitions are not created so."""
    tags = [split(argument)[0] for argument in arguments]
    if any(stands_for(tag, "reservationname", 3) for tag in tags):
        create_reservation(session, arguments)
    elif any(stands_for(tag, "partitionname", 3) or stands_for(tag, "nodename", 3) for tag in tags):
        session.gap("scontrol create of a partition or node")
    else:
        session.refuse(
            'No valid entity in create command\nInput line must include "Reservation", "NodeName", or "PartitionName"'
        )


def _delete(session: Session, arguments: Sequence[str]) -> None:
    tag, value = split(arguments[0])
    name = value if value is not None else arguments[1] if len(arguments) > 1 else ""
    if len(arguments) > 2 or not name:
        session.refuse("Only one option follows delete.  No deletions performed.")
    elif stands_for(tag, "reservationname", 3):
        delete_reservation(session, name)
    elif stands_for(tag, "partitionname", 3) or stands_for(tag, "nodename", 3):
        session.gap("scontrol delete of a partition or node")
    else:
        session.refuse(f"Invalid delete option: {tag}")


def _reconfigure(session: Session, arguments: Sequence[str]) -> None:
    del arguments
    if session.reached("slurm_reconfigure error"):
        error = session.ctx.simulation.apply(Reconfigure(session.ctx.identity.name))
        if error:
            session.failed("slurm_reconfigure error", error)


def _takeover(session: Session, arguments: Sequence[str]) -> None:
    ctx = session.ctx
    if len(charge.hosts(ctx.world)) < 2:
        session.gap("scontrol takeover without a backup")
        return
    error = ctx.simulation.apply(TakeOver(ctx.identity.name, arguments[0] if arguments else ""))
    if error:
        session.failed("slurm_takeover error", error)


def _errnumstr(session: Session, arguments: Sequence[str]) -> None:
    number = whole(arguments[0])
    if number is None:
        session.refuse("numeric arguments required for keyword:errnumstr")
        return
    known = next((error.text for error in SlurmError if error.number == number), f"Unknown error {number}")
    session.ctx.line(known)


def _write(session: Session, arguments: Sequence[str]) -> None:
    """`write batch_script JOB [FILE]`."""
    if not stands_for(arguments[0], "batch_script", 5):
        if stands_for(arguments[0], "config", 6):
            session.gap("scontrol write config")
        else:
            session.refuse(f"invalid write argument:{arguments[0]}")
        return
    ctx, number = session.ctx, arguments[1] if len(arguments) > 1 else "0"
    job = jobs.job(ctx.world, whole(number) or 0)
    path = arguments[2] if len(arguments) > 2 else f"slurm-{number}.sh"
    if not session.reached("job script retrieval failed"):
        return
    if job is None or not job.script:
        session.failed("job script retrieval failed", SlurmError.INVALID_JOB)
    elif not jobs.may_change(ctx.inventory, job, ctx.identity.name):
        session.failed("job script retrieval failed", SlurmError.USER_ID)
    elif path == "-":
        ctx.write(job.script)
    else:
        _write_file(session, path, job.script, number)


def _write_file(session: Session, path: str, script: str, number: str) -> None:
    ctx = session.ctx
    try:
        ctx.files.write(path if path.startswith("/") else f"{ctx.directory.rstrip('/')}/{path}", script.encode())
    except FileError as error:
        session.refuse(f"failed to open file `{path}`: {error.text}")
        return
    if session.quiet != QUIET:
        ctx.line(f"batch script for job {number} written to {path}")


def _help(session: Session, arguments: Sequence[str]) -> None:
    del arguments
    ctx = session.ctx
    ctx.line(_USAGE)
    ctx.line("    Valid <OPTION> values are:")
    for line in option_lines(OPTIONS):
        ctx.line(f"   {line}")
    ctx.line("    Valid <COMMAND> values are:")
    for keyword in _KEYWORDS:
        if keyword.help:
            ctx.line(f"     {keyword.name:<24} {keyword.help}")


def _set(field: str, value: object) -> Do:
    def do(session: Session, arguments: Sequence[str]) -> None:
        setattr(session, field, value)

    return do


def _hide(session: Session, arguments: Sequence[str]) -> None:
    session.every = session.detail = False


def _gap(name: str) -> Do:
    return lambda session, arguments: session.gap(f"scontrol {name}")


def _holding(name: str) -> Do:
    return lambda session, arguments: hold(session, name, arguments)


_FEW, _MISSING = "too few arguments for {} keyword", "missing argument for keyword:"
_KEYWORDS = (
    Keyword("all", 2, _set("every", True), most=None, help="show hidden partitions too"),
    Keyword("cancel_reboot", 3, cancel_reboot, 1, 1, _MISSING, "NODES: cancel reboots that have not begun"),
    Keyword("completing", 2, lambda session, _: completing(session), help="jobs whose nodes are being cleaned up"),
    Keyword("cluster", 2, _gap("cluster"), most=None),
    Keyword("create", 2, _create, 1, None, _FEW, "reservation TAG=VALUE...: set nodes aside"),
    Keyword("details", 1, _set("detail", True), help="show more details"),
    Keyword("errnumstr", 2, _errnumstr, 1, 1, "one arguments required for keyword:", "NUMBER: the text of an error"),
    Keyword("exit", 2, _set("finished", True), help="end scontrol"),
    Keyword("getaddrs", 8, _gap("getaddrs"), 1, 1, "one argument required for keyword:"),
    Keyword("help", 2, _help, help="show this"),
    Keyword("hide", 2, _hide, most=None, help="do not show hidden partitions"),
    Keyword("oneliner", 1, _set("one_line", True), help="one line for each record"),
    Keyword("pidinfo", 3, local_steps.pid_info, 1, 1, _MISSING, "PID: the job of a process of this host"),
    Keyword("ping", 3, lambda session, _: ping(session), help="whether slurmctld answers"),
    Keyword("power", 2, _gap("power"), most=None),
    Keyword("quiet", 4, _set("quiet", QUIET), help="errors only"),
    Keyword("quit", 4, _set("finished", True), help="end scontrol"),
    Keyword("reboot_nodes", 3, reboot, most=None, help="[ASAP] [nextstate=] [reason=] NODES: restart nodes when idle"),
    Keyword("reconfigure", 3, _reconfigure, most=1, help="read the configuration files anew"),
    Keyword("requeue", 3, requeue, 1, None, help="JOBS: stop batch jobs and put them back in the queue"),
    Keyword("requeuehold", 11, lambda session, jobs: requeue(session, jobs, held=True), 1, None, help="the same, held"),
    Keyword("hold", 4, _holding("hold"), 1, None, help="JOBS: do not let pending jobs start"),
    Keyword("holdu", 5, _holding("holdu"), 1, None, help="JOBS: the same, so that their users may release them"),
    Keyword("uhold", 5, _holding("uhold"), 1, None, help="JOBS: the same"),
    Keyword("release", 3, _holding("release"), 1, None, help="JOBS: end a hold"),
    Keyword("suspend", 2, _gap("suspend"), 1, None),
    Keyword("resume", 3, _gap("resume"), 1, None),
    Keyword("top", 3, _gap("top"), 1, 1),
    Keyword("token", 3, _gap("token"), most=None),
    Keyword("wait_job", 2, _gap("wait_job"), 1, 1),
    Keyword("setdebugflags", 9, _gap("setdebugflags"), 1, None),
    Keyword("fsdampeningfactor", 3, _gap("fsdampeningfactor"), 1, 1),
    Keyword("setdebug", 2, _gap("setdebug"), 1, 2),
    Keyword("schedloglevel", 3, _gap("schedloglevel"), 1, 1),
    Keyword("show", 3, show, most=None, help="ENTITY [ID]: config, hostlist, hostnames, job, node, partition, step..."),
    Keyword("write", 5, _write, 1, 3, help="batch_script JOB [FILE]: write a job's script to a file"),
    Keyword("takeover", 8, _takeover, most=1, help="[HOST]: let a backup slurmctld take charge"),
    Keyword("shutdown", 8, _gap("shutdown"), most=1),
    Keyword("update", 1, _update, 1, None, _FEW, "nodename=|jobid= TAG=VALUE...: change a node or a job"),
    Keyword("delete", 1, _delete, 1, None, _FEW, "reservation=NAME: end a reservation"),
    Keyword("verbose", 4, _set("quiet", VERBOSE), help="say more"),
    Keyword("version", 4, lambda session, _: session.ctx.line(version_line(session.ctx.inventory)), help="the version"),
    Keyword("listpids", 1, local_steps.list_pids, most=2, help="[JOB[.STEP]]: processes of jobs on this host"),
    Keyword("listjobs", 1, local_steps.list_jobs, most=1, help="jobs on this host"),
    Keyword("liststeps", 1, local_steps.list_steps, most=1, help="steps on this host"),
    Keyword("notify", 1, _gap("notify"), 2, None),
)


def _complete(ctx: Context, words: Sequence[str]) -> list[str]:
    """Keywords, entities, jobs, and the states of an update."""
    if len(words) < 2:
        return [keyword.name for keyword in _KEYWORDS if keyword.help]
    if stands_for(words[0], "show", 3):
        return entities() if len(words) == 2 else known_jobs(ctx)
    if stands_for(words[0], "update", 1):
        return ["state=drain", "state=resume", "state=down"]
    return known_jobs(ctx)


COMMAND = Command(
    "scontrol",
    "look at and change Slurm's configuration and state",
    run,
    _USAGE,
    OPTIONS,
    "Shows nodes, jobs, partitions and the configuration (scontrol show node dgx-01), and lets operators change them: "
    'scontrol update nodename=dgx-01 state=drain reason="...", state=resume, scontrol reboot, hold, release, requeue.',
    complete=_complete,
)

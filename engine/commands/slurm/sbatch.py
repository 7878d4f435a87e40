"""sbatch: put a batch script into the queue.

Slurm 24.11. Source: SchedMD/slurm src/sbatch/opt.c and sbatch.c; compared with 22.05. Options come from SBATCH_*
variables, then the script's #SBATCH lines, then the command line; later ones win. What the script does is understood in
a first form only (engine.control.slurm.workload).
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError, parse
from engine.commands.slurm._support import job_options, pyxis
from engine.commands.slurm._support.client import Tool, command, error, fail, reach, session_of
from engine.commands.slurm._support.job_options import BadOption, NotModelled, Setting, WillBeRefused
from engine.commands.slurm._support.task_environment import exported
from engine.control.slurm import jobs
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.submission import SubmitJob, forecast
from engine.control.slurm.times import timestamp
from engine.hostfs.tree import FileError
from engine.kernel.hostlist import fold
from engine.kernel.units import SECOND
from engine.world.records import Job

_OWN = (
    *job_options.options(job_options.SBATCH_MODELLED, job_options.SBATCH_WITHOUT_EFFECT),
    Option(long="no-requeue", help="do not run the job again if a node fails"),
    Option(long="requeue", help="run the job again if a node fails"),
    Option(long="parsable", help="print the number of the job alone"),
    Option("W", "wait", help="wait until the job is over"),
    Option(long="wrap", argument="COMMAND", help="make the script of this command"),
)
_GAPS = (
    *job_options.shared_gaps(),
    *job_options.options(job_options.SBATCH_NOT_MODELLED, pyxis.OPTIONS, pyxis.GAPS, gap=True),
)
_OPTIONS = (*job_options.shared_options(), *_OWN, *_GAPS)
_LIMIT = 4 << 20
_TRAILER = 'Try "sbatch --help" for more information'
_LONGEST_PAUSE = 32 * SECOND


class _Refusal(Exception):
    """The lines that say why there is no script to submit."""


async def run(ctx: Context, parsed: Parsed) -> int:
    """Submit a script from a file, standard input or --wrap."""
    try:
        script = await _script(ctx, parsed)
        layers, gap = _layers(ctx, parsed, script)
        if gap:
            return ctx.not_modelled(f"sbatch {gap}")
        request = _request(ctx, parsed, script, layers)
    except _Refusal as refused:
        for line in str(refused).splitlines():
            error(ctx, line)
        return 1
    except BadOption as bad:
        raise job_options.usage_error(ctx.name, bad) from None
    except NotModelled as lacking:
        return ctx.not_modelled(f"sbatch {lacking}")
    except WillBeRefused as refused:
        raise fail(ctx, f"Batch job submission failed: {refused.error.text}") from None
    if "test_only" in parsed:
        return _test(ctx, request)
    return await _submit(ctx, parsed, request)


async def _submit(ctx: Context, parsed: Parsed, request: SubmitJob) -> int:
    refused = reach(ctx)
    if refused:
        raise fail(ctx, f"Batch job submission failed: {refused.text}")
    answer = ctx.simulation.apply(request)
    for note in answer.notes:
        error(ctx, note)
    if answer.error:
        raise fail(ctx, f"Batch job submission failed: {answer.error.text}")
    if "quiet" not in parsed:
        ctx.line(str(answer.job) if "parsable" in parsed else f"Submitted batch job {answer.job}")
    return await _wait(ctx, answer.job) if "wait" in parsed or "SBATCH_WAIT" in ctx.environment else 0


async def _wait(ctx: Context, number: int) -> int:
    """Look at the job again and again until it is over; its exit code."""
    pause = 2 * SECOND
    while True:
        await ctx.sleep(pause)
        pause = min(pause * 4, _LONGEST_PAUSE)
        job = jobs.job(ctx.world, number)
        if job is None or jobs.is_over(job):
            return 1 if job is None or job.signal else job.exit_code


def _test(ctx: Context, request: SubmitJob) -> int:
    """--test-only: say when the job would start."""
    refused: SlurmError | None = reach(ctx)
    answer = None if refused else forecast(ctx.simulation, request)
    if isinstance(answer, tuple):
        ctx.error(f"sbatch: {starts_line(ctx, *answer)}")
        return 0
    ctx.error(f"allocation failure: {(refused or (answer and answer.error) or SlurmError.CONNECTION).text}")
    return 1


def starts_line(ctx: Context, job: Job, start: int, nodes: Sequence[str]) -> str:
    """`Job 31 to start at ... using 12 processors on nodes dgx-[01-02] in partition batch`."""
    when, cpus = timestamp(ctx.inventory, start), jobs.total_cpus(job)
    where = f"on nodes {fold(nodes)} in partition {job.partition}"
    return f"Job {job.id} to start at {when} using {cpus} processors {where}"


def _request(ctx: Context, parsed: Parsed, script: str, layers: Sequence[dict[str, Any]]) -> SubmitJob:
    setting = Setting(ctx.inventory, ctx.now, ctx.directory)
    fields = job_options.wanted(layers, setting)
    last = [key for layer in layers for key in layer if key in ("requeue", "no_requeue")]
    own: dict[str, Any] = {
        "user": ctx.identity.name,
        "host": ctx.host,
        "name": _name(parsed),
        "directory": ctx.directory,
        "script": script,
        "command": _command(ctx, parsed),
        "requeue": last[-1:] != ["no_requeue"],
        "submit_line": shlex.join(("sbatch", *ctx.arguments)),
        "session": session_of(ctx),
        "environment": _environment(ctx, parsed),
    }
    return SubmitJob(**(own | fields))


def _environment(ctx: Context, parsed: Parsed) -> tuple[tuple[str, str], ...]:
    """What the script gets of the environment of sbatch (--export)."""
    taken = exported(ctx.environment, parsed["export"] or ctx.environment.get("SBATCH_EXPORT") or "ALL")
    own = {"SLURM_SUBMIT_DIR": ctx.directory, "SLURM_SUBMIT_HOST": ctx.host}
    return tuple(sorted({**taken, **own}.items()))


def _name(parsed: Parsed) -> str:
    if "wrap" in parsed:
        return "wrap"
    return parsed.operands[0].rpartition("/")[2] if parsed.operands else "sbatch"


def _command(ctx: Context, parsed: Parsed) -> str:
    """What scontrol shows as Command: the script's full name and its arguments."""
    if "wrap" in parsed or not parsed.operands:
        return ""
    return shlex.join((_absolute(ctx, parsed.operands[0]), *parsed.operands[1:]))


def _absolute(ctx: Context, path: str) -> str:
    return path if path.startswith("/") else f"{ctx.directory.rstrip('/')}/{path}"


def _layers(ctx: Context, parsed: Parsed, script: str) -> tuple[list[dict[str, Any]], str | None]:
    """Options by where they come from, and the first that is not modelled."""
    environment = job_options.from_environment(ctx.environment, "SBATCH_", job_options.SBATCH_VARIABLES)
    inside = parse("sbatch", _OPTIONS, _directives(script), trailer=_TRAILER, status=255)
    if inside.operands:
        raise BadOption(f"error: Invalid directive found in batch script: {inside.operands[0]}")
    gap = job_options.first_gap(parsed, _GAPS) or job_options.first_gap(inside, _GAPS)
    return [environment, job_options.given(inside), job_options.given(parsed)], gap


def _directives(script: str) -> list[str]:
    """The words of the #SBATCH lines before the first command."""
    words: list[str] = []
    for line in script.splitlines():
        if line.startswith("#SBATCH"):
            words += _words(line.removeprefix("#SBATCH"))
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return words


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return text.split()


async def _script(ctx: Context, parsed: Parsed) -> str:
    """The script's text. Raises _Refusal for what is none."""
    if "wrap" in parsed:
        if parsed.operands:
            raise _Refusal("Script arguments not permitted with --wrap option")
        return f"#!/bin/sh\n# This script was created by sbatch --wrap.\n\n{parsed['wrap']}\n"
    if parsed.operands:
        try:
            content = ctx.files.read(_absolute(ctx, parsed.operands[0]))
        except FileError:
            raise _Refusal(f"Unable to open file {parsed.operands[0]}") from None
    else:
        content = await ctx.stdin.read()
    return _checked(content)


def _checked(content: bytes) -> str:
    if not content:
        raise _Refusal("Batch script is empty!")
    if len(content) > _LIMIT:
        raise UsageError("sbatch: fatal: Script file is too large\n")
    if not content.strip():
        raise _Refusal("Batch script contains only whitespace!")
    if not content.startswith(b"#!"):
        raise _Refusal(
            "This does not look like a batch script.  The first\n"
            "line must start with #! followed by the path to an interpreter.\nFor instance: #!/bin/sh"
        )
    if b"\0" in content:
        raise _Refusal("The Slurm controller does not allow scripts that\ncontain a NULL character '\\0'.")
    if b"\r\n" in content:
        raise _Refusal("Batch script contains DOS line breaks (\\r\\n)\ninstead of expected UNIX line breaks (\\n).")
    return content.decode("utf-8", "surrogateescape")


COMMAND = command(
    Tool(
        "sbatch",
        "submit a batch script to Slurm",
        "sbatch [OPTIONS] [script [args...]]",
        _OPTIONS,
        run,
        manual="Puts a script into the queue and returns at once. #SBATCH lines at its head are options as on the "
        "command line. What the job prints goes to slurm-JOB.out in the directory where sbatch was run.",
        bad_option_status=255,
        permute=False,
    )
)

"""srun: run a command on nodes that Slurm gives, or as a step of a job that runs.

Slurm 24.11. Source: SchedMD/slurm src/srun/opt.c, srun.c, allocate.c and launch.c; compared with 22.05. A first Ctrl-C
ends the step at once (the real one asks for a second within a second). With --pty the first task alone is run.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engine.commands.context import Context, Interrupted
from engine.commands.options import Option, Parsed, UsageError
from engine.commands.slurm._support import job_options, pyxis
from engine.commands.slurm._support.allocation import allocate, existing
from engine.commands.slurm._support.client import Tool, command, error, fail, session_of
from engine.commands.slurm._support.job_options import BadOption, NotModelled, Setting, WillBeRefused
from engine.commands.slurm._support.launch import NODE_FAILED, Outcome, deaf_nodes, exit_lines, run_tasks
from engine.commands.slurm._support.mpi_plugins import MPI_PLUGINS, PLUGIN_LIST, broken_lines, unknown_plugin
from engine.commands.slurm._support.step_files import StepFiles
from engine.commands.slurm._support.task_environment import Layout, spread, task_environment
from engine.control.slurm import jobs, node_scripts
from engine.control.slurm.configuration import in_force
from engine.control.slurm.errors import SlurmError
from engine.control.slurm.numbers import whole
from engine.control.slurm.steps import FinishStep, StartStep, room
from engine.control.slurm.submission import SubmitJob
from engine.control.slurm.times import timestamp
from engine.kernel.units import SECOND
from engine.world.records import BootPhase, Job

_OWN = (
    *job_options.options(job_options.SRUN_WITHOUT_EFFECT, pyxis.OPTIONS),
    Option("I", "immediate", "SECONDS", optional=True, help="give up if there are no nodes at once, or so soon"),
    Option(long="jobid", argument="JOB", help="run as a step of this job"),
    Option("l", "label", help="put the number of the task before each line"),
)
_GAPS = (*job_options.shared_gaps(), *job_options.options(job_options.SRUN_NOT_MODELLED, pyxis.GAPS, gap=True))
_OPTIONS = (*job_options.shared_options(), *_OWN, *_GAPS)
_REDIRECTIONS = ("input", "test_only")
_CONNECTION_FAILED = "Communication connection failure"
_CONNECTION_FAILED_STATUS = 1001 % 256
_STEP_PATIENCE = 120 * SECOND


async def run(ctx: Context, parsed: Parsed) -> int:
    """Get nodes, run the tasks, give the nodes back."""
    gap = job_options.first_gap(parsed, _GAPS)
    redirected = next((name for name in _REDIRECTIONS if name in parsed), None)
    if gap or redirected:
        return ctx.not_modelled(f"srun {gap or f'--{redirected}'.replace('_', '-')}")
    if _mpi(ctx, parsed) == "list":
        ctx.write(PLUGIN_LIST)
        return 0
    if not parsed.operands:
        raise UsageError("srun: fatal: No command given to execute.\n")
    for line in pyxis.ignored(parsed):
        ctx.error(line)
    asked = pyxis.wanted(parsed)
    lacking = pyxis.gap(asked) if asked else None
    if lacking:
        return ctx.not_modelled(f"srun {lacking}")
    if ":" in parsed.operands:
        return ctx.not_modelled("srun with several components (:)")
    if _mpi(ctx, parsed) not in MPI_PLUGINS:
        raise UsageError(unknown_plugin(_mpi(ctx, parsed)))
    number = parsed["jobid"] or ctx.environment.get("SLURM_JOB_ID", "")
    try:
        fields = _fields(ctx, parsed)
        if number:
            return await _as_step(ctx, parsed, existing(ctx, number), fields)
        return await _with_own_job(ctx, parsed, fields)
    except BadOption as bad:
        raise job_options.usage_error(ctx.name, bad) from None
    except NotModelled as lacking:
        return ctx.not_modelled(f"srun {lacking}")
    except WillBeRefused as refused:
        raise fail(ctx, f"Unable to allocate resources: {refused.error.text}") from None


def _fields(ctx: Context, parsed: Parsed) -> dict[str, Any]:
    environment = job_options.from_environment(ctx.environment, "SLURM_", job_options.SRUN_VARIABLES)
    setting = Setting(ctx.inventory, ctx.now, ctx.directory)
    return job_options.wanted([environment, job_options.given(parsed)], setting)


def _mpi(ctx: Context, parsed: Parsed) -> str:
    """The MPI plugin: --mpi, $SLURM_MPI_TYPE, or slurm.conf's MpiDefault."""
    return parsed["mpi"] or ctx.environment.get("SLURM_MPI_TYPE") or in_force(ctx.world).text("MpiDefault", "none")


async def _with_own_job(ctx: Context, parsed: Parsed, fields: dict[str, Any]) -> int:
    own: dict[str, Any] = {
        "user": ctx.identity.name,
        "host": ctx.host,
        "name": parsed.operands[0].rpartition("/")[2],
        "directory": ctx.directory,
        "command": "",
        "interactive": True,
        "submit_line": shlex.join(("srun", *ctx.arguments)),
        "session": session_of(ctx),
    }
    job = await allocate(ctx, SubmitJob(**(own | fields)), _immediate(parsed), "quiet" in parsed)
    tasks = spread(max(job.task_count, len(job.nodes)), len(job.nodes))
    each = fields.get("gpus_per_task") or 0
    places = tuple(range(job.gpus_per_node)) if each else None
    layout = Layout(job, 0, job.nodes, tasks, gpus=places, gpus_per_task=each)
    return await _step(ctx, parsed, layout, own_job=True)


def _immediate(parsed: Parsed) -> int | None:
    if "immediate" not in parsed:
        return None
    text = parsed["immediate"]
    seconds = whole(text or "1")
    if seconds is None:
        raise BadOption(f'Invalid numeric value "{text}" for immediate.', 1)
    return seconds


async def _as_step(ctx: Context, parsed: Parsed, job: Job, fields: dict[str, Any]) -> int:
    """A step within a job that has its nodes."""
    nodes = [name for name in job.nodes if name not in fields.get("exclude", ())]
    asked = fields.get("node_list", ())
    if any(name not in nodes for name in asked):
        raise fail(ctx, f"Unable to create step for job {job.id}: {SlurmError.NODE_CONFIGURATION.text}")
    nodes = [name for name in nodes if name in asked] or nodes
    count = fields.get("nodes") or len(nodes)
    if count > len(nodes):
        raise fail(ctx, f"Only allocated {len(nodes)} nodes asked for {count}")
    tasks = fields.get("tasks") or count * (fields.get("tasks_per_node") or 1)
    count = min(count, tasks)
    if tasks > count * job.cpus_per_node:
        raise fail(ctx, f"Unable to create step for job {job.id}: {SlurmError.TOO_MANY_CPUS.text}")
    gpus = _gpus_of_step(fields, count, tasks)
    if gpus is not None and gpus > job.gpus_per_node:
        raise fail(ctx, f"Unable to create step for job {job.id}: {SlurmError.INVALID_GRES.text}")
    exact = "exact" in parsed or fields.get("cpus_per_task") is not None
    cpus = -(-tasks // count) * (fields.get("cpus_per_task") or 1) if exact else 0
    places = await _until_room(ctx, parsed, job, nodes[:count], cpus, gpus)
    layout = Layout(
        job, 0, tuple(nodes[:count]), spread(tasks, count), gpus=places, gpus_per_task=fields.get("gpus_per_task") or 0
    )
    return await _step(ctx, parsed, layout, own_job=False, cpus=cpus)


def _gpus_of_step(fields: dict[str, Any], nodes: int, tasks: int) -> int | None:
    """The GPUs on each node that a step asks for; None for all of the job's."""
    if fields.get("gpus_per_node") is not None:
        return int(fields["gpus_per_node"])
    if fields.get("gpus") is not None:
        return -(-int(fields["gpus"]) // nodes)
    return -(-tasks * int(fields["gpus_per_task"]) // nodes) if fields.get("gpus_per_task") else None


async def _until_room(
    ctx: Context, parsed: Parsed, job: Job, nodes: Sequence[str], cpus: int, gpus: int | None
) -> tuple[int, ...] | None:
    """A step waits while others hold what it asks for, unless it may overlap. The places of its GPUs; None: all."""
    began, told = ctx.now, False
    if "overlap" in parsed:
        return None if gpus is None else tuple(range(gpus))
    while (places := _room(ctx, job.id, nodes, cpus, gpus)) is None:
        if ctx.now - began >= _STEP_PATIENCE and not told:
            busy = SlurmError.NODES_BUSY.text
            ctx.error(f"srun: Job {job.id} step creation temporarily disabled, retrying ({busy})")
            told = True
        await ctx.sleep(SECOND)
    return None if gpus is None else places


def _room(ctx: Context, number: int, nodes: Sequence[str], cpus: int, gpus: int | None) -> tuple[int, ...] | None:
    job = jobs.job(ctx.world, number)
    return room(job, nodes, cpus, gpus) if job is not None and job.state == "RUNNING" else ()


async def _step(ctx: Context, parsed: Parsed, layout: Layout, *, own_job: bool, cpus: int = 0) -> int:
    """Start the step, run its tasks, tell how they ended."""
    by, words = ctx.identity.name, parsed.operands
    await _until_prologs(ctx, layout.job.id)
    name = words[0].rpartition("/")[2]
    number = ctx.simulation.apply(
        StartStep(
            layout.job.id, by, name, layout.nodes, layout.total,
            cpus=cpus, gpus=layout.gpus, overlaps="overlap" in parsed,
        )
    )  # fmt: skip
    if isinstance(number, SlurmError):
        raise fail(ctx, f"Unable to create step for job {layout.job.id}: {number.text}")
    export = parsed["export"] or ctx.environment.get("SLURM_EXPORT_ENV") or "ALL"
    layout = replace(layout, step=number, mpi=_mpi(ctx, parsed), export=export)
    if deaf := deaf_nodes(ctx, layout):
        return await _launch_failed(ctx, layout, deaf, own_job)
    asked = pyxis.wanted(parsed)
    crew = pyxis.Crew(asked, layout.job.id, number, layout.total == 1) if asked else None
    label = "label" in parsed or "SLURM_LABELIO" in ctx.environment
    files = StepFiles(ctx, layout, parsed["output"] or "", parsed["error"] or "")
    try:
        files.open()
    except UsageError:
        ctx.simulation.apply(FinishStep(layout.job.id, number, 1, 0, own_job))
        raise
    try:
        if "pty" in parsed:
            outcome = Outcome({0: await _on_terminal(ctx, layout, words)})
        else:
            stdin = await ctx.stdin.read() if ctx.stdin.attached else b""
            outcome = await run_tasks(ctx, layout, words, stdin, label=label, crew=crew, files=files)
    except Interrupted:
        _aborted(ctx, layout)
        ctx.simulation.apply(FinishStep(layout.job.id, number, 0, 2, own_job))
        raise
    if outcome.killed:
        return _job_was_ended(ctx, layout)
    _tell(ctx, layout, outcome)
    signal = outcome.signal
    ctx.simulation.apply(FinishStep(layout.job.id, number, 0 if signal else outcome.worst, signal, own_job))
    return outcome.worst


async def _until_prologs(ctx: Context, number: int) -> None:
    """A step waits until the nodes have run their prologs. Raises UsageError if one failed."""
    while node_scripts.pending(ctx.world, node_scripts.PROLOG, number):
        await ctx.sleep(SECOND)
    job = jobs.job(ctx.world, number)
    if job is not None and job.state == "FAILED":
        raise fail(ctx, f"Unable to create step for job {number}: {SlurmError.ALREADY_DONE.text}")


async def _on_terminal(ctx: Context, layout: Layout, words: Sequence[str]) -> int:
    """--pty: the first task has srun's terminal; a shell without arguments of its own is a login on the node."""
    node = layout.nodes[0]
    environment = task_environment(ctx.world, layout, 0, node, 0, ctx.environment)
    place = ctx.elsewhere(host=node, environment=environment, cpus="", memory_nodes="", confined="")
    shell = words[0].rpartition("/")[2] in ("bash", "sh") and all(word in ("-i", "-l", "--login") for word in words[1:])
    if shell and ctx.logins is not None and not ctx.stdin.attached:
        await ctx.flush()
        return await ctx.logins.login(place)
    return await ctx.runner.run(words, place)


def _tell(ctx: Context, layout: Layout, outcome: Outcome) -> None:
    if outcome.broken is not None:
        for line in broken_lines(ctx, layout, outcome.broken):
            ctx.error(line)
        _waiting(ctx)
    if lost := sorted({node for rank, node, _ in layout.places() if outcome.statuses.get(rank) == NODE_FAILED}):
        error(ctx, f"Node failure on {','.join(lost)}")
    for line in exit_lines(layout, outcome):
        error(ctx, line)
    if outcome.signal and outcome.broken is None:
        ctx.error(f"srun: Force Terminated StepId={layout.job.id}.{layout.step}")


async def _launch_failed(ctx: Context, layout: Layout, deaf: Sequence[str], own_job: bool) -> int:
    """No slurmd takes the tasks: refused at once where the host answers, else after a timeout."""
    if any(ctx.world.nodes[node].phase is not BootPhase.RUNNING for node in deaf):
        timeout = in_force(ctx.world).duration("MessageTimeout", 10)
        await ctx.sleep(timeout)
    step = f"StepId={layout.job.id}.{layout.step}"
    for node in deaf:
        error(ctx, f"Task launch for {step} failed on node {node}: {_CONNECTION_FAILED}")
    error(ctx, f"Application launch failed: {_CONNECTION_FAILED}")
    ctx.error("srun: Job step aborted")
    ctx.simulation.apply(FinishStep(layout.job.id, layout.step, _CONNECTION_FAILED_STATUS, 0, own_job))
    return _CONNECTION_FAILED_STATUS


def _aborted(ctx: Context, layout: Layout) -> None:
    """Ctrl-C."""
    ctx.error(f"srun: sending Ctrl-C to StepId={layout.job.id}.{layout.step}")
    ctx.error("srun: forcing job termination")
    _waiting(ctx)


def _waiting(ctx: Context) -> None:
    patience = in_force(ctx.world).number("KillWait", 30) + 2
    ctx.error(f"srun: Job step aborted: Waiting up to {patience} seconds for job step to finish.")


def _job_was_ended(ctx: Context, layout: Layout) -> int:
    """Somebody cancelled the job, its time was over, or a node was lost."""
    job = jobs.active_job(ctx.world, layout.job.id)
    ctx.error(f"srun: Force Terminated JobId={job.id}")
    _waiting(ctx)
    when = timestamp(ctx.inventory, ctx.now if job.ended is None else job.ended)
    why = {"TIMEOUT": " DUE TO TIME LIMIT", "NODE_FAIL": " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"}
    mark = f"{when}{why.get(job.state, '')} ***"
    ctx.error(f"slurmstepd: error: *** STEP {job.id}.{layout.step} ON {layout.nodes[0]} CANCELLED AT {mark}")
    for line in exit_lines(layout, Outcome({rank: 143 for rank, _, _ in layout.places()})):
        error(ctx, line)
    return 143


COMMAND = command(
    Tool(
        "srun",
        "run a command on nodes of the Slurm cluster",
        "srun [OPTIONS] command [args...]",
        _OPTIONS,
        run,
        manual="Asks Slurm for nodes, waits for them, runs the command there (once for each task), and gives them "
        "back: srun -N2 hostname; srun --gres=gpu:1 nvidia-smi -L. With --jobid the command runs within a job.",
        bad_option_status=255,
        permute=False,
    )
)

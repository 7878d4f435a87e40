"""salloc: get nodes, run a command or a shell while they are held, give them back.

Slurm 24.11. Source: SchedMD/slurm src/salloc/salloc.c and opt.c; texts compared with 22.05. Without a command a shell
opens where salloc was typed; with LaunchParameters=use_interactive_step it opens on the first node, as a step
`interactive`. A shell that is open when the time of the job is over stays open here, where the real one is killed.
"""

from __future__ import annotations

import shlex
from typing import Any

from engine.commands.context import Context, Place
from engine.commands.options import Option, Parsed
from engine.commands.slurm._support import job_options
from engine.commands.slurm._support.allocation import allocate
from engine.commands.slurm._support.client import Tool, command, fail, session_of
from engine.commands.slurm._support.job_options import BadOption, NotModelled, Setting, WillBeRefused
from engine.commands.slurm._support.task_environment import allocation_environment
from engine.commands.streams import NoInput
from engine.control.slurm import jobs
from engine.control.slurm.configuration import in_force
from engine.control.slurm.numbers import whole
from engine.control.slurm.queue import EndAllocation
from engine.control.slurm.steps import FinishStep, StartStep
from engine.control.slurm.submission import SubmitJob
from engine.control.slurm.version import at_least
from engine.kernel.hostlist import fold
from engine.world.records import Job

_OWN = (
    *job_options.options(job_options.SALLOC_WITHOUT_EFFECT),
    Option("I", "immediate", "SECONDS", optional=True, help="give up if there are no nodes at once, or so soon"),
    Option(long="no-shell", help="hold the nodes and return"),
)
_GAPS = (*job_options.shared_gaps(), *job_options.options(job_options.SALLOC_NOT_MODELLED, gap=True))
_OPTIONS = (*job_options.shared_options(), *_OWN, *_GAPS)
_UNUSED = ("input", "output", "error", "test_only")


async def run(ctx: Context, parsed: Parsed) -> int:
    """Get nodes, run the command, give them back."""
    gap = job_options.first_gap(parsed, _GAPS) or next((f"--{name}" for name in _UNUSED if name in parsed), None)
    if gap:
        return ctx.not_modelled(f"salloc {gap.replace('_', '-')}")
    if ":" in parsed.operands:
        return ctx.not_modelled("salloc with several components (:)")
    try:
        request = SubmitJob(**_request(ctx, parsed))
    except BadOption as bad:
        raise job_options.usage_error(ctx.name, bad) from None
    except NotModelled as lacking:
        return ctx.not_modelled(f"salloc {lacking}")
    except WillBeRefused as refused:
        raise fail(ctx, f"Job submit/allocate failed: {refused.error.text}") from None
    job = await allocate(ctx, request, _immediate(parsed), "quiet" in parsed)
    _say(ctx, parsed, f"Granted job allocation {job.id}")
    if at_least(ctx.inventory, 23, 2):
        _say(ctx, parsed, f"Nodes {fold(job.nodes)} are ready for job")
    if "no_shell" in parsed:
        return 0
    await ctx.flush()
    status = await _work(ctx, parsed, job)
    return _give_back(ctx, parsed, job, status)


def _request(ctx: Context, parsed: Parsed) -> dict[str, Any]:
    environment = job_options.from_environment(ctx.environment, "SALLOC_", {})
    setting = Setting(ctx.inventory, ctx.now, ctx.directory)
    fields = job_options.wanted([environment, job_options.given(parsed)], setting)
    own: dict[str, Any] = {
        "user": ctx.identity.name, "host": ctx.host, "directory": ctx.directory, "command": "", "interactive": True,
        "name": "interactive",
        "submit_line": shlex.join(("salloc", *ctx.arguments)), "session": session_of(ctx),
    }  # fmt: skip
    return own | fields


def _immediate(parsed: Parsed) -> int | None:
    return whole(parsed["immediate"] or "1") if "immediate" in parsed else None


def _say(ctx: Context, parsed: Parsed, text: str) -> None:
    if "quiet" not in parsed:
        ctx.error(f"salloc: {text}")


async def _work(ctx: Context, parsed: Parsed, job: Job) -> int:
    """Run the command, or a shell until it ends."""
    place = ctx.elsewhere(environment={**ctx.environment, **allocation_environment(ctx.world, job)})
    if parsed.operands:
        return await ctx.runner.run(parsed.operands, place)
    if "use_interactive_step" in in_force(ctx.world).text("LaunchParameters"):
        return await _on_first_node(ctx, job, place)
    return await _shell(ctx, place)


async def _on_first_node(ctx: Context, job: Job, place: Place) -> int:
    """The shell as a step on the job's first node."""
    by = ctx.identity.name
    ctx.simulation.apply(StartStep(job.id, by, "interactive", job.nodes[:1], 1, kind="interactive"))
    inner = ctx.elsewhere(host=job.nodes[0], environment=place.environment)
    status = await _shell(ctx, inner)
    ctx.simulation.apply(FinishStep(job.id, "interactive", status))
    return status


async def _shell(ctx: Context, place: Place) -> int:
    script = await ctx.stdin.read() if ctx.stdin.attached else b""
    if ctx.logins is not None and not script:
        return await ctx.logins.login(place)
    return await ctx.runner.script(script.decode("utf-8", "surrogateescape"), place, stdin=NoInput())


def _give_back(ctx: Context, parsed: Parsed, job: Job, status: int) -> int:
    """The command is over: so is the job, unless it was taken away before."""
    known = jobs.active_job(ctx.world, job.id)
    if jobs.is_over(known):
        over = known.state == "TIMEOUT"
        why = "has exceeded its time limit and its allocation has been revoked." if over else "has been revoked."
        ctx.error(f"salloc: Job {'' if over else 'allocation '}{job.id} {why}")
        return status
    _say(ctx, parsed, f"Relinquishing job allocation {job.id}")
    ctx.simulation.apply(EndAllocation(job.id, ctx.identity.name, status))
    return status


COMMAND = command(
    Tool(
        "salloc",
        "get nodes of the Slurm cluster and work on them",
        "salloc [OPTIONS(0)...] [ : [OPTIONS(N)]] [command(0) [args(0)...]]",
        _OPTIONS,
        run,
        manual="Asks Slurm for nodes, waits for them, and opens a shell (or runs the command) in which srun uses "
        "them: salloc -N2 --gpus-per-node=8. When the shell ends the nodes are given back.",
        bad_option_status=255,
        permute=False,
    )
)

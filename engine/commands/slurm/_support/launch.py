"""The tasks of a step: run on their nodes at once, their lines put in one order, and how each ended told as srun does.

Source: SchedMD/slurm 24.11 src/srun/launch.c (texts of task exits) and src/api/step_launch.c; compared with 22.05.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.commands.context import Context, Input, Interrupted, Output, Place
from engine.commands.linux._support import fanout, remote
from engine.commands.linux._support.names import Resolver
from engine.commands.slurm._support.pyxis import Crew
from engine.commands.slurm._support.step_files import StepFiles
from engine.commands.slurm._support.task_environment import Layout, task_environment
from engine.commands.streams import BytesInput, NoInput
from engine.control import communicators
from engine.control.slurm import jobs, registration
from engine.kernel.units import MILLISECOND, SECOND

NODE_FAILED = -1
NOT_FOUND = 127
_EXECVE_FAILED = 2
_CTRL_C = 130
_SIGNALS = {134: "Aborted", 137: "Killed", 139: "Segmentation fault", 143: "Terminated"}
_LOOK = 1 * SECOND
_KILLED = 137
_BREAK_SPREADS = 40 * MILLISECOND


@dataclass(slots=True)
class Launch(fanout.Fan):
    """One step. `hosts` are the ranks, as text; `words` is what each task runs."""

    layout: Layout | None = None
    words: Sequence[str] = ()
    crew: Crew | None = None
    """The containers that pyxis makes for the step, if it asks for any."""
    broken: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    """The first rank that left its parallel program badly while others were still in it."""

    async def _on_host(self, host: str, resolver: Resolver, out: Output, err: Output) -> int:
        del resolver
        assert self.layout is not None
        rank, node, local = self.layout.places()[int(host)]
        ctx, errors = self.ctx, _Errors(self.words[0], err)
        environment = task_environment(ctx.world, self.layout, rank, node, local, ctx.environment)
        place = ctx.elsewhere(host=node, environment=environment, cpus="", memory_nodes="", confined="")
        status = await remote.while_up(ctx, node, lambda: self._task(place, out, errors))
        if status is None:
            return NODE_FAILED
        ended = errors.end(status)
        name = f"step/{self.layout.job.id}.{self.layout.step}"
        if ended and not self.broken.done() and communicators.meeting(ctx.world, name) is not None:
            self.broken.set_result(rank)
        return ended

    async def _task(self, place: Place, out: Output, errors: _Errors) -> int:
        """A task at its place, or in the container that pyxis makes there."""
        stdin: Input = BytesInput(self.stdin) if self.stdin else NoInput()
        inner: Place | None = place
        if self.crew is not None:
            inner = await self.crew.enter(self.ctx, place, errors)
        if inner is None:
            return 1
        return await self.ctx.runner.run(self.words, inner, stdin=stdin, stdout=out, stderr=errors)


class _Errors:
    """Standard error of a task. That bash knows no such command is told in slurmstepd's words."""

    def __init__(self, name: str, under: Output) -> None:
        self.name, self.under = name, under
        self._held = b""

    def write(self, data: bytes) -> None:
        text = self._held + data
        if text.rstrip(b"\n").endswith(f"{self.name}: command not found".encode()):
            self._held = text
            return
        self._held = b""
        self.under.write(text)

    async def flush(self) -> None:
        await self.under.flush()

    def end(self, status: int) -> int:
        """The task is over with `status`. Returns what slurmstepd makes of it."""
        if status == NOT_FOUND and self._held:
            self.under.write(f"slurmstepd: error: execve(): {self.name}: No such file or directory\n".encode())
            return _EXECVE_FAILED
        self.under.write(self._held)
        return status


@dataclass(slots=True)
class Outcome:
    """How a step ended: the status of each rank; `killed` if the job was taken away meanwhile, `broken` the rank for
    whose end the MPI plugin ended the others.
    """

    statuses: dict[int, int] = field(default_factory=dict)
    killed: bool = False
    broken: int | None = None

    @property
    def signal(self) -> int:
        """The strongest signal that ended a task, or 0."""
        return max((status - 128 for status in self.statuses.values() if status in _SIGNALS), default=0)

    @property
    def worst(self) -> int:
        """What srun ends with: 128 and the signal, or the highest exit code."""
        if self.signal:
            return 128 + self.signal
        return max((1 if status == NODE_FAILED else status for status in self.statuses.values()), default=0)


async def run_tasks(
    ctx: Context,
    layout: Layout,
    words: Sequence[str],
    stdin: bytes,
    *,
    label: bool,
    crew: Crew | None = None,
    files: StepFiles | None = None,
) -> Outcome:
    """Run every task until all are over, or the job is. Raises Interrupted on Ctrl-C."""

    def hear(host: str, is_error: bool, line: bytes) -> None:
        data = (f"{host}: ".encode() if label else b"") + line + b"\n"
        if files is None or not files.write(int(host), is_error, data):
            (ctx.stderr if is_error else ctx.stdout).write(data)

    ranks = [str(rank) for rank, _, _ in layout.places()]
    launch = Launch(ctx, ranks, "", hear, ctx.identity.name, len(ranks), stdin=stdin, layout=layout, words=words)
    launch.crew = crew
    task = asyncio.ensure_future(launch.run())
    await asyncio.sleep(0)
    watch = asyncio.ensure_future(_job_ends(ctx, layout.job.id))
    try:
        waited: set[asyncio.Future[Any]] = {task, watch, launch.broken}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if launch.broken.done() and not task.done():
            await ctx.clock.sleep(_BREAK_SPREADS)
        killed = watch.done() and not task.done()
        if task.done() or killed:
            (watch if killed else task).result()
    finally:
        for each in (task, watch):
            each.cancel()
        await asyncio.gather(task, watch, return_exceptions=True)
        if crew is not None:
            crew.leave(ctx)
    statuses = {int(rank): status for rank, status in launch.statuses.items()}
    if _CTRL_C in statuses.values():
        raise Interrupted
    broken = min(rank for rank, status in statuses.items() if status) if launch.broken.done() else None
    if broken is not None and not killed:
        statuses = {rank: statuses.get(rank, _KILLED) for rank, _, _ in layout.places()}
    return Outcome(statuses, killed, broken)


async def _job_ends(ctx: Context, number: int) -> None:
    """Wait until a job no longer runs."""
    while (job := jobs.job(ctx.world, number)) is not None and job.state == "RUNNING":
        await asyncio.sleep(0)
        await ctx.clock.watch(_LOOK)


def deaf_nodes(ctx: Context, layout: Layout) -> list[str]:
    """Nodes of a step whose slurmd does not answer."""
    return [node for node in layout.nodes if not registration.is_running(ctx.world, node, "slurmd")]


def exit_lines(layout: Layout, outcome: Outcome) -> list[str]:
    """What srun says of tasks that did not end well: those of a node with the same status together."""
    groups: dict[tuple[str, int], list[int]] = {}
    for rank, node, _ in layout.places():
        if status := outcome.statuses.get(rank, 0):
            groups.setdefault((node, status), []).append(rank)
    return [f"{node}: {_named(ranks)}: {_ending(status)}" for (node, status), ranks in groups.items()]


def _named(ranks: Sequence[int]) -> str:
    return f"task{'s' if len(ranks) > 1 else ''} {jobs.ranges(ranks)}"


def _ending(status: int) -> str:
    if status == NODE_FAILED:
        return "Killed"
    return _SIGNALS.get(status, f"Exited with exit code {status}")

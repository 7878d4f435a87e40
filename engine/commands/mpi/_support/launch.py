"""The processes of an mpirun: started on their hosts, watched, and ended together when one goes wrong.

Daemons are started over ssh as the user, as plm/rsh does; within a Slurm job they would be started by srun, which comes
to the same. How long that takes is a guess.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.commands import context
from engine.commands.context import Context, Interrupted, Output
from engine.commands.linux._support import fanout, remote
from engine.commands.linux._support.names import Resolver
from engine.commands.mpi._support.hosts import Place
from engine.commands.streams import BytesInput, NoInput
from engine.control import programs
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.records import BootPhase

NODE_LOST, NOT_FOUND, CTRL_C, KILLED = -1, 127, 130, 137
_STARTS_HERE, _STARTS_THERE = 250 * MILLISECOND, 900 * MILLISECOND
_SPREADS = 60 * MILLISECOND
_LOOK = 1 * SECOND
_SILENCE = 480 * SECOND
"""Until mpirun gives up a daemon whose host fell silent: TCP's keepalive after 300 s, nine times 20 s (a guess)."""


@dataclass(frozen=True, slots=True)
class Job:
    """An mpirun: its number (the 45678 of [[45678,1],0]), its own process, the program, and where its ranks go."""

    number: int
    pid: int
    words: tuple[str, ...]
    places: Sequence[Place]
    exported: Mapping[str, str]
    directory: str | None = None

    @property
    def namespace(self) -> str:
        """PMIx's name of the job."""
        return str(self.number << 16 | 1)


@dataclass(slots=True)
class Ending:
    """How it ended: the status of each rank that did, and the first that went wrong (None: all well)."""

    statuses: dict[int, int]
    first: int | None = None


async def start_daemons(ctx: Context, places: Sequence[Place]) -> dict[str, context.Place] | remote.Failure:
    """Where programs run on each host, once its daemon is there; or why one could not be started."""
    resolver, found = Resolver(ctx), dict[str, context.Place]()
    for name in dict.fromkeys(place.host for place in places):
        if name in (ctx.host, "localhost"):
            found[name] = ctx.place
            continue
        answer = remote.connect(ctx, remote.Target(name, ctx.identity.name), resolver)
        if isinstance(answer, remote.Failure):
            await ctx.sleep(answer.after)
            return answer
        found[name] = answer
    await ctx.sleep(_STARTS_HERE if set(found) <= {ctx.host, "localhost"} else _STARTS_THERE)
    return found


@dataclass(slots=True)
class Ranks(fanout.Fan):
    """The ranks at work. `hosts` are their numbers, as text."""

    job: Job | None = None
    rooms: Mapping[str, context.Place] = field(default_factory=dict)
    broken: asyncio.Future[int] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    async def _on_host(self, host: str, resolver: Resolver, out: Output, err: Output) -> int:
        del resolver
        assert self.job is not None
        rank, ctx, job = int(host), self.ctx, self.job
        place = job.places[rank]
        room = self.rooms[place.host]
        environment = {**room.environment, **job.exported, **variables(job, rank)}
        directory = job.directory or ctx.directory
        there = replace(
            room, environment=environment, cpus=room.confined or place.cpus, directory=directory, login=False
        )
        errors = _Errors(job.words[0], err)
        stdin = BytesInput(self.stdin) if self.stdin and rank == 0 else NoInput()
        status = await remote.while_up(
            ctx, there.host, lambda: ctx.runner.run(job.words, there, stdin=stdin, stdout=out, stderr=errors)
        )
        if status is None and ctx.world.nodes[there.host].phase is BootPhase.OFF:
            await ctx.clock.sleep(_SILENCE)
        ended = NODE_LOST if status is None else errors.end(status)
        if ended and not self.broken.done():
            self.broken.set_result(rank)
        return ended


class _Errors:
    """Standard error of a rank. That bash knows no such command, mpirun tells in its own words."""

    def __init__(self, name: str, under: Output) -> None:
        self.name, self.under, self._held = name, under, b""

    def write(self, data: bytes) -> None:
        text = self._held + data
        if text.rstrip(b"\n").endswith((f"{self.name}: command not found".encode(), b": No such file or directory")):
            self._held = text
            return
        self._held = b""
        self.under.write(text)

    async def flush(self) -> None:
        await self.under.flush()

    def end(self, status: int) -> int:
        """The rank is over with `status`."""
        if status != NOT_FOUND:
            self.under.write(self._held)
        return status


def variables(job: Job, rank: int) -> dict[str, str]:
    """What Open MPI tells a rank of its place."""
    place, size = job.places[rank], len(job.places)
    local = sum(other.host == place.host for other in job.places)
    return {
        "OMPI_COMM_WORLD_SIZE": str(size),
        "OMPI_COMM_WORLD_RANK": str(rank),
        "OMPI_COMM_WORLD_LOCAL_SIZE": str(local),
        "OMPI_COMM_WORLD_LOCAL_RANK": str(place.local),
        "OMPI_COMM_WORLD_NODE_RANK": str(place.local),
        "OMPI_UNIVERSE_SIZE": str(size),
        "PMIX_NAMESPACE": job.namespace,
        "PMIX_RANK": str(rank),
    }


async def run(ctx: Context, job: Job, rooms: Mapping[str, context.Place], hear: fanout.Hear, stdin: bytes) -> Ending:
    """Run all ranks until all are over, or one went wrong and the others were ended. Raises Interrupted."""
    numbers = [str(rank) for rank in range(len(job.places))]
    ranks = Ranks(ctx, numbers, "", hear, ctx.identity.name, len(numbers), stdin=stdin, job=job, rooms=rooms)
    task = asyncio.ensure_future(ranks.run())
    await asyncio.sleep(0)
    watch = asyncio.ensure_future(_until_killed(ctx, job.pid))
    try:
        waited: set[asyncio.Future[Any]] = {task, watch, ranks.broken}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if watch.done():
            watch.result()
        elif ranks.broken.done() and not task.done():
            await ctx.clock.sleep(_SPREADS)
        if task.done():
            task.result()
    finally:
        for each in (task, watch):
            each.cancel()
        await asyncio.gather(task, watch, return_exceptions=True)
    statuses = {int(rank): status for rank, status in ranks.statuses.items()}
    if CTRL_C in statuses.values():
        raise Interrupted
    return Ending(statuses, min((rank for rank, status in statuses.items() if status), default=None))


async def _until_killed(ctx: Context, pid: int) -> None:
    """Returns when somebody ended mpirun; raises Interrupted on Ctrl-C."""
    while programs.runs(ctx.world, ctx.host, pid):
        await asyncio.sleep(0)
        await ctx.clock.watch(_LOOK)

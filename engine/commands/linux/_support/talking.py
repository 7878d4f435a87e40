"""Programs that talk to each other over the simulated network: they are processes while they run, one listens, another
connects, and each waits for what the other says.

Whoever waits is woken when others let time pass, so both ends go on at the same moment in every run. A program that is
killed ends with the status that bash gives it (143).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from engine.commands.context import Context
from engine.commands.linux._support.processes import own_terminal
from engine.control import logins, processes, programs, sockets
from engine.kernel.units import MICROSECOND, SECOND
from engine.physics.paths.near import near

KILLED_STATUS = 143
_MESSAGE_TAKES = 100 * MICROSECOND
"""Until what was said is heard on the other side, and the other end wakes (a guess)."""

_LOOK_AGAIN = 2 * SECOND


class Killed(Exception):
    """Somebody ended the process of the running command; status 143."""


@asynccontextmanager
async def program(ctx: Context, *, cpu_permille: int = 0, resident_kib: int = 8_192) -> AsyncIterator[int]:
    """The running command as a process that others see, by its id, until the block is left, however that happens."""
    terminal = own_terminal(ctx)
    begin = programs.BeginProgram(
        ctx.host,
        ctx.identity.name,
        " ".join([ctx.name, *ctx.arguments]),
        terminal,
        _shell_of(ctx, terminal),
        cpu_permille,
        resident_kib,
        ctx.place.allowed_cpus,
    )
    pid: int = ctx.simulation.apply(begin)
    try:
        yield pid
    finally:
        ctx.simulation.apply(programs.EndProgram(ctx.host, pid))


def _shell_of(ctx: Context, terminal: str | None) -> int | None:
    """The process id of the shell at the terminal, where a session has one."""
    if terminal is None or terminal not in {login.terminal for login in logins.sessions(ctx.world, ctx.host)}:
        return None
    found = processes.processes(ctx.world, ctx.host)
    return next((each.pid for each in found if each.terminal == terminal and each.command == "-bash"), None)


async def wait_for(ctx: Context, pid: int, condition: Callable[[], bool], limit: int | None = None) -> bool:
    """Wait until something holds. Returns False if `limit` ns passed first. Raises Killed when the process has gone."""
    end = None if limit is None else ctx.now + limit
    await ctx.flush()
    step = _MESSAGE_TAKES if end is None else _LOOK_AGAIN
    while not condition():
        if not programs.runs(ctx.world, ctx.host, pid):
            raise Killed
        if end is not None and ctx.now >= end:
            return False
        await _some_time(ctx, pid, condition, step if end is None else min(step, end - ctx.now))
        step = _LOOK_AGAIN
    return True


async def sleep(ctx: Context, pid: int, duration: int) -> None:
    """Let simulated time pass, unless the process is killed meanwhile. Raises Killed."""
    await wait_for(ctx, pid, lambda: False, duration)


async def _some_time(ctx: Context, pid: int, condition: Callable[[], bool], duration: int) -> None:
    """At most `duration` ns; less if the condition comes to hold or the process goes."""
    until = ctx.clock.until(lambda: condition() or not programs.runs(ctx.world, ctx.host, pid))
    watch, timer = asyncio.ensure_future(until), asyncio.ensure_future(ctx.clock.sleep(duration))
    try:
        await asyncio.wait({watch, timer}, return_when=asyncio.FIRST_COMPLETED)
        if not watch.done():
            timer.result()
    finally:
        for each in (watch, timer):
            each.cancel()
        await asyncio.gather(watch, timer, return_exceptions=True)


class Talk:
    """One end of a connection, read message by message."""

    def __init__(self, ctx: Context, pid: int, number: int, side: str) -> None:
        self.ctx, self.pid, self.number, self.side = ctx, pid, number, side
        self._read = 0

    def say(self, text: str) -> bool:
        """Write a message. Returns whether somebody is there to read it."""
        said: bool = self.ctx.simulation.apply(sockets.Say(self.number, self.side, text))
        return said

    async def hear(self, limit: int | None = None) -> str | None:
        """The other end's next message; None where it has closed, or `limit` ns passed. Raises Killed."""
        await wait_for(self.ctx, self.pid, lambda: self.waiting or self.over, limit)
        if not self.waiting:
            return None
        self._read += 1
        return sockets.heard(self.ctx.world, self.number, self.side)[self._read - 1]

    @property
    def waiting(self) -> bool:
        """Whether there is something to read."""
        return len(sockets.heard(self.ctx.world, self.number, self.side)) > self._read

    @property
    def over(self) -> bool:
        """Whether the other end has closed."""
        return sockets.ended(self.ctx.world, self.number, self.side)

    def is_near(self, numa: int, *, here: bool) -> bool:
        """Whether the program at this end, or at the other, runs on the CPUs of a NUMA node."""
        world, found = self.ctx.world, sockets.connection(self.ctx.world, self.number)
        if found is None:
            return True
        end = found.client if here == (self.side == sockets.CLIENT) else found.server
        process = processes.find(world, end.host, end.pid)
        return near(world.node(end.host), numa, process.cpus if process else "")

    def close(self) -> None:
        """Close this end."""
        self.ctx.simulation.apply(sockets.Close(self.number, self.side))


async def connected(ctx: Context, pid: int, number: int) -> Talk:
    """The client's end of a new connection, when the server has heard of it."""
    await sleep(ctx, pid, _MESSAGE_TAKES)
    return Talk(ctx, pid, number, sockets.CLIENT)


async def accept(ctx: Context, pid: int, seen: frozenset[int] = frozenset()) -> Talk:
    """Wait for a connection to the process that is not among those `seen`. Raises Killed."""

    def new() -> list[int]:
        found = sockets.connections_of(ctx.world, ctx.host, pid)
        return [each.number for each in found if each.number not in seen and each.server.pid == pid]

    await wait_for(ctx, pid, lambda: bool(new()))
    return Talk(ctx, pid, new()[0], sockets.SERVER)

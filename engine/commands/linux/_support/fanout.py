"""The same command on many hosts at once, with their lines in one order whatever runs first: by time, then by host.

What hosts print in the same simulated moment is held until everything has settled (a wait of no duration), and then
handed on by host. At most `fanout` hosts work at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.commands.context import Context
from engine.commands.linux._support import remote
from engine.commands.linux._support.names import Resolver
from engine.commands.linux._support.waiting import within
from engine.commands.streams import BytesInput, NoInput
from engine.kernel.hostlist import expand
from engine.kernel.units import SECOND

TIMED_OUT = -1
Hear = Callable[[str, bool, bytes], None]
"""(host, is it standard error, a line without its newline)"""


@dataclass(slots=True)
class Fan:
    """What runs where: the command, the hosts, and who hears the lines. Times are ns, 0 for no limit."""

    ctx: Context
    hosts: Sequence[str]
    command: str
    hear: Hear
    user: str
    fanout: int = 64
    connect_timeout: int = 0
    command_timeout: int = 0
    stdin: bytes = b""
    statuses: dict[str, int] = field(default_factory=dict)
    _heard: list[tuple[int, int, int, bool, bytes]] = field(default_factory=list)
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> dict[str, int]:
        """Run everywhere. Returns the status of each host, TIMED_OUT where it took too long."""
        permits = asyncio.Semaphore(max(self.fanout, 1))
        resolver = Resolver(self.ctx)
        speaker = asyncio.ensure_future(self._speak())
        workers = [asyncio.ensure_future(self._work(index, permits, resolver)) for index in range(len(self.hosts))]
        try:
            await asyncio.gather(*workers)
        finally:
            for task in (speaker, *workers):
                task.cancel()
            await asyncio.gather(speaker, *workers, return_exceptions=True)
            self._hand_on()
        return self.statuses

    def take(self, index: int, is_error: bool, line: bytes) -> None:
        """A host wrote a line."""
        self._heard.append((self.ctx.now, index, len(self._heard), is_error, line))
        self._news.set()

    async def _speak(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            await self.ctx.clock.sleep(0)
            self._hand_on()
            await self.ctx.flush()

    def _hand_on(self) -> None:
        heard, self._heard = sorted(self._heard), []
        for _, index, _, is_error, line in heard:
            self.hear(self.hosts[index], is_error, line)

    async def _work(self, index: int, permits: asyncio.Semaphore, resolver: Resolver) -> None:
        async with permits:
            out, err = _Lines(self, index, False), _Lines(self, index, True)
            host = self.hosts[index]
            status: int | None
            if self.command_timeout:
                status = await within(self.ctx, lambda: self._on_host(host, resolver, out, err), self.command_timeout)
            else:
                status = await self._on_host(host, resolver, out, err)
            out.end()
            err.end()
            self.statuses[host] = TIMED_OUT if status is None else status

    async def _on_host(self, host: str, resolver: Resolver, out: _Lines, err: _Lines) -> int:
        target = remote.Target(host, self.user, patience=self.connect_timeout or None)
        found = remote.connect(self.ctx, target, resolver)
        if isinstance(found, remote.Failure):
            if found.after:
                await self.ctx.clock.sleep(found.after)
            err.write((found.text or f"breakfix: not modelled: {found.gap}").encode() + b"\n")
            return remote.FAILED
        stdin = BytesInput(self.stdin) if self.stdin else NoInput()
        runner = self.ctx.runner
        status = await remote.while_up(
            self.ctx, found.host, lambda: runner.script(self.command, found, stdin=stdin, stdout=out, stderr=err)
        )
        if status is None:
            err.write(f"Connection to {host} closed by remote host.\n".encode())
            return remote.FAILED
        return status


class _Lines:
    """An output of one host, cut into lines."""

    def __init__(self, fan: Fan, index: int, is_error: bool) -> None:
        self.fan, self.index, self.is_error = fan, index, is_error
        self._rest = b""

    def write(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self.fan.take(self.index, self.is_error, line)

    async def flush(self) -> None:
        return

    def end(self) -> None:
        """A last line without a newline."""
        if self._rest:
            self.fan.take(self.index, self.is_error, self._rest)
            self._rest = b""


def seconds(text: str) -> int | None:
    """ns of a number of seconds, or None."""
    try:
        return int(float(text) * 1000) * SECOND // 1000
    except (ValueError, OverflowError):
        return None


def expand_hosts(texts: Sequence[str]) -> list[str]:
    """The hosts of several host lists, in order. Raises BreakfixError."""
    hosts: dict[str, None] = {}
    for text in texts:
        hosts |= dict.fromkeys(expand(text))
    return list(hosts)

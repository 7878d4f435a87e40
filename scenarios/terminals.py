"""The one place where scenarios touch the shell: terminals for the learner, for other people and for the twin."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from engine.kernel.simulation import Simulation
from engine.world.world import World

if TYPE_CHECKING:
    from engine.shell.play import Play, Record, Writer
    from engine.shell.scheduler import Pace
    from engine.shell.terminal import Terminal as ShellTerminal

Ask = Callable[[str, bool], Awaitable[str | None]]
Show = Callable[[Any, int | None], Awaitable[int | None]]
Print = Callable[[bytes, bool], None]


@dataclass(frozen=True, slots=True)
class LineResult:
    """A line that has run: its status, everything that it printed, when, and whether Ctrl-C ended it."""

    status: int
    output: bytes
    started: int
    ended: int
    cancelled: bool = False


@dataclass
class FrontEnd:
    """What looks at a terminal: its size, whether a person does, and ways to print, to ask and to show screens."""

    columns: int = 120
    rows: int = 40
    interactive: bool = False
    printer: Print | None = None
    asker: Ask | None = None
    shower: Show | None = None


class Terminal(Protocol):
    """A login that takes lines. `until` is a time at which Ctrl-C is pressed."""

    @property
    def prompt(self) -> str: ...

    @property
    def closed(self) -> bool: ...

    async def run_line(self, text: str, until: int | None = None) -> LineResult: ...

    def interrupt(self) -> None: ...

    def close(self) -> None: ...


Job = tuple[int, Callable[[], Awaitable[None]]]


class Terminals(Protocol):
    """The terminals of one world, which share its clock."""

    @property
    def simulation(self) -> Simulation[World]: ...

    def open(self, host: str, user: str, number: int, front: FrontEnd) -> Terminal: ...

    async def pass_time(self, duration: int) -> None: ...

    async def together(self, jobs: Sequence[Job]) -> None:
        """Do several things that overlap, each from its time on."""

    async def sleep_until(self, time: int) -> None:
        """Within a running line: wait."""

    def close(self) -> None: ...


OTHERS_TERMINAL = 100
"""Terminal numbers from here on belong to other people; their lines are not journaled, they come by themselves."""

OpenWorld = Callable[[Simulation[World]], Terminals]


@dataclass
class _Limits:
    """The pace of a world in which lines may be cut off: no wall time, and Ctrl-C at the times that were asked for."""

    inner: Pace | None = None
    pending: list[tuple[int, ShellTerminal]] = field(default_factory=list)

    async def step(self, now: int, target: int) -> int:
        due = [entry for entry in self.pending if entry[0] <= now]
        for entry in due:
            self.pending.remove(entry)
            entry[1].interrupt()
        nearest = min([target, *(max(time, now) for time, _ in self.pending)])
        return now if due else await self.inner.step(now, nearest) if self.inner else nearest


class ShellTerminals:
    """The terminals of engine.shell."""

    def __init__(self, simulation: Simulation[World], pace: Pace | None = None, write: Writer | None = None) -> None:
        from engine.shell.play import Play

        self.simulation = simulation
        self._limits = _Limits(pace)
        self.play = Play(simulation, self._limits, write)
        self._shell = self.play.shell
        self._others: list[ShellTerminal] = []

    def open(self, host: str, user: str, number: int, front: FrontEnd) -> Terminal:
        """A new terminal `number`, logged in as `user` on `host`."""
        from engine.shell.terminal import Terminal as ShellTerminal

        if number < OTHERS_TERMINAL:
            terminal = self.play.open_terminal(host, user, number, **_options(front))
            return _Fitted(terminal, self._limits, self.play)
        terminal = ShellTerminal(self._shell, host, user, number=number, **_options(front))
        self._others.append(terminal)
        return _Fitted(terminal, self._limits)

    def resume(self, records: Iterable[Record], front: Callable[[int], FrontEnd]) -> tuple[list[Record], list[_Fitted]]:
        """Bring this new world to where a journal ends. Returns its other records, and the learner's terminals."""
        rest = self.play.resume(records, lambda number: _options(front(number)))
        return rest, [_Fitted(terminal, self._limits, self.play) for terminal in self.play.terminals]

    async def pass_time(self, duration: int) -> None:
        """Let simulated time pass with nothing in the foreground."""
        await self._shell.scheduler.pass_time(duration)

    async def together(self, jobs: Sequence[Job]) -> None:
        """Do several things that overlap, each from its time on."""
        scheduler = self._shell.scheduler
        work = asyncio.gather(*(self._from(number, *job) for number, job in enumerate(jobs)))
        work.add_done_callback(lambda _: scheduler.note())
        await scheduler.drive(work.done)
        await work

    async def sleep_until(self, time: int) -> None:
        """Within a running line: wait."""
        await self._shell.scheduler.sleep(max(time - self.simulation.now, 0), 0, object())

    def close(self) -> None:
        """Stop everything that runs."""
        self.play.close()
        for terminal in self._others:
            terminal.close()

    async def _from(self, number: int, time: int, work: Callable[[], Awaitable[None]]) -> None:
        await self._shell.scheduler.sleep(max(time - self.simulation.now, 0), number, work)
        await work()


def _options(front: FrontEnd) -> dict[str, Any]:
    return {
        "interactive": front.interactive,
        "columns": front.columns,
        "rows": front.rows,
        "printer": front.printer,
        "asker": front.asker,
        "shower": front.shower,
    }


@dataclass
class _Fitted:
    """A terminal of engine.shell in the form that scenarios use."""

    terminal: ShellTerminal
    limits: _Limits
    play: Play | None = None

    @property
    def number(self) -> int:
        return self.terminal.number

    @property
    def prompt(self) -> str:
        return self.terminal.prompt

    @property
    def closed(self) -> bool:
        return self.terminal.closed

    async def run_line(self, text: str, until: int | None = None) -> LineResult:
        """Run a line; at `until` Ctrl-C is pressed if it still runs."""
        limit = (until, self.terminal) if until is not None else None
        if limit:
            self.limits.pending.append(limit)
        result = await (self.play.run_line(self.terminal, text) if self.play else self.terminal.run_line(text))
        cancelled = limit is not None and limit not in self.limits.pending
        if limit and not cancelled:
            self.limits.pending.remove(limit)
        return LineResult(result.status, result.output, result.started, result.ended, cancelled)

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.terminal.interrupt()

    def close(self) -> None:
        """Stop everything that runs in it."""
        self.terminal.close()

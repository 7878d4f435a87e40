"""How commands wait: simulated time moves only when everything that runs is waiting for it.

bash runs on threads of its own. Before a wait ends, its pipelines are left to settle, so that a producer whose reader
has gone stops at the
same place in every run: a settled shell answers several round trips through bash's threads without anything having
happened in
between. Round trips take longer on a loaded machine just as the pipelines do, which a fixed pause would not.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from engine.commands.context import Interrupted
from engine.kernel.simulation import Simulation
from engine.world.world import World

# Round trips without anything happening after which a shell counts as quiet: when everything that runs is known to
# wait, and when something runs on inside the interpreter (a busy loop, or a line that has only just begun).
_ROUND_TRIPS, _PATIENT_ROUND_TRIPS = 5, 60


class Pace(Protocol):
    """How simulated time relates to the clock on the wall."""

    async def step(self, now: int, target: int) -> int:
        """Wait if need be; the time (at most `target`) up to which the simulation may go on."""


class InstantPace:
    """Waiting costs no wall time."""

    async def step(self, now: int, target: int) -> int:
        return target


@dataclass(order=True)
class _Waiter:
    time: int
    terminal: int
    arrival: int
    owner: object = field(compare=False)
    woken: asyncio.Future[None] = field(compare=False)
    watching: bool = field(compare=False, default=False)


class Scheduler:
    """Waits of all terminals of one simulation, in one order: (time, terminal, arrival)."""

    def __init__(self, simulation: Simulation[World], pace: Pace | None = None) -> None:
        self.simulation = simulation
        self.pace: Pace = pace or InstantPace()
        self.lock = threading.RLock()
        self._round_trip: Callable[[], Awaitable[object]] | None = None
        self._waiters: list[_Waiter] = []
        self._conditions: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        self._arrivals = 0
        self._activity = 0
        self._changed = asyncio.Event()
        # Several terminals may drive at once; each step waits until the one before has settled.
        self._stepping = asyncio.Lock()
        self._running: dict[object, int] = {}
        self._crowd = 0
        # Called when everything has settled and time is about to pass.
        self.when_settled: list[Callable[[], None]] = []
        # Whether somebody wants to act before time passes on (a batch script may begin); asked after each event.
        self.attention: Callable[[], bool] | None = None

    def set_round_trip(self, round_trip: Callable[[], Awaitable[object]]) -> None:
        """Give the way to send a message through bash's threads and back."""
        self._round_trip = round_trip

    def note(self) -> None:
        """Something happened: a command started, wrote or ended."""
        self._activity += 1
        self._changed.set()

    def begin(self, owner: object) -> None:
        """`owner` (a line or a job) runs; time passes readily only while it waits for something."""
        self._running[owner] = 0
        self.note()

    def crowd(self, change: int) -> None:
        """So many more shells run side by side within one line (pdsh, clush); some may wait while others still work."""
        self._crowd += change

    def end(self, owner: object) -> None:
        """`owner` has ended."""
        self._running.pop(owner, None)
        self.note()

    @contextmanager
    def blocking(self, owner: object) -> Iterator[None]:
        """While in it, `owner` waits for a person, another login or a job."""
        self._running[owner] = self._running.get(owner, 0) + 1
        self.note()
        try:
            yield
        finally:
            if owner in self._running:
                self._running[owner] -= 1
            self.note()

    async def sleep(self, duration: int, terminal: int, owner: object, *, watching: bool = False) -> None:
        """Wait for `duration` ns of simulated time. Who is only `watching` other work of its owner says nothing of
        whether that work waits. Raises Interrupted if `interrupt(owner)` comes first.
        """
        self._arrivals += 1
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiter = _Waiter(self.simulation.now + max(duration, 0), terminal, self._arrivals, owner, woken, watching)
        self._waiters.append(waiter)
        self.note()
        try:
            await woken
        finally:
            if waiter in self._waiters:
                self._waiters.remove(waiter)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to become true as others let time pass. By itself this lets no time pass."""
        if condition():
            return
        held: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (condition, held)
        self._conditions.append(entry)
        try:
            await held
        finally:
            self._conditions.remove(entry)

    def interrupt(self, owner: object) -> None:
        """Ctrl-C: whatever `owner` waits for ends with Interrupted."""
        for waiter in [waiter for waiter in self._waiters if waiter.owner is owner]:
            self._waiters.remove(waiter)
            if not waiter.woken.done():
                waiter.woken.set_exception(Interrupted())
        self.note()

    async def drive(self, done: Callable[[], bool]) -> None:
        """Let things run, and time pass as far as they need it, until `done()`."""
        while not done():
            self._changed.clear()
            if not self._waiters:
                await self._changed.wait()
                continue
            async with self._stepping:
                if await self._settled() and not self._check_conditions() and not done() and self._waiters:
                    await self._pass_time(min(self._waiters))

    async def pass_time(self, duration: int) -> None:
        """Let simulated time pass with nothing in the foreground, waking whoever waits. It costs no wall time."""
        target, before = self.simulation.now + duration, self._activity
        while self.simulation.now < target or any(waiter.time <= target for waiter in self._waiters):
            async with self._stepping:
                if not await self._settled() or self._check_conditions():
                    continue
                due = [waiter for waiter in self._waiters if waiter.time <= target]
                self.advance_to(min(due).time if due else target)
                if due:
                    await self._wake(min(due))
        if self._activity != before:
            # What the passing time set off (a connection that broke) gets as far as it comes.
            async with self._stepping:
                await self._settled()

    async def _settled(self) -> bool:
        """Everything has settled and who wants to hear it is told. Whether it is still so after they have acted."""
        await self.settle()
        before = self._activity
        for tell in self.when_settled:
            tell()
        return self._activity == before

    def advance_to(self, time: int) -> None:
        """Move the simulation's clock, never beyond somebody's wait."""
        limit = min([time, *(waiter.time for waiter in self._waiters)])
        with self.lock:
            self.simulation.advance_to(limit, self.attention)
        self._check_conditions()

    def _check_conditions(self) -> bool:
        """Wake those for whom it has become true. Whatever somebody did at this moment is seen at this moment, however
        the one who waits and the one who did it took turns. Returns whether anybody woke.
        """
        woke = False
        for condition, held in self._conditions:
            if not held.done() and condition():
                held.set_result(None)
                self.note()
                woke = True
        return woke

    async def _pass_time(self, waiter: _Waiter) -> None:
        """One step towards the end of the first wait, and its end when it is reached."""
        if self.simulation.now < waiter.time:
            self.advance_to(await self.pace.step(self.simulation.now, waiter.time))
        if self.simulation.now >= waiter.time:
            await self._wake(waiter)

    async def _wake(self, waiter: _Waiter) -> None:
        if waiter in self._waiters:
            self._waiters.remove(waiter)
            if not waiter.woken.done():
                waiter.woken.set_result(None)
            await asyncio.sleep(0)

    async def settle(self) -> None:
        """Return when nothing runs any more but what waits for time to pass."""
        if self._round_trip is None:
            await asyncio.sleep(0)
            return
        quiet = 0
        while quiet < (_ROUND_TRIPS if self._all_wait() else _PATIENT_ROUND_TRIPS):
            before = self._activity
            await self._round_trip()
            quiet = quiet + 1 if self._activity == before else 0

    def _all_wait(self) -> bool:
        if self._crowd:
            return False
        waiting = {id(waiter.owner) for waiter in self._waiters if not waiter.watching}
        return all(blocked or id(owner) in waiting for owner, blocked in self._running.items())

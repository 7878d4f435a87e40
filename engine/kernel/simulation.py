"""The simulation: a clock, a queue, a world and what has been done to it.

`apply(action)` performs and records, `advance(duration)` runs what is due, `fork()` gives an independent copy,
`state_digest()` names the state. Time is integer nanoseconds since the site's start; it moves only in `advance`. Given
the same world, seed, actions and times, every run is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from engine.kernel.actions import Action
from engine.kernel.events import Bus, Event, Queue
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import Stream
from engine.kernel.state import State

W = TypeVar("W", bound=State)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An action and when it was applied."""

    time: int
    action: Action


class Simulation(Generic[W]):
    """One world under way."""

    def __init__(self, world: W, seed: int, bus: Bus) -> None:
        self.world = world
        self.seed = seed
        self.now = 0
        self.recorded: list[Recorded] = []
        self.on_record: Callable[[Recorded], None] | None = None
        self._bus = bus
        self._queue = Queue()
        self._applying = False
        # Held while the world changes: a shell whose interpreter reads the world from threads of its own puts a lock
        # here.
        self.guard: AbstractContextManager[object] = nullcontext()

    def stream(self, name: str) -> Stream:
        """A new stream of chance; the same name gives the same draws."""
        return Stream(self.seed, name)

    def apply(self, action: Action) -> Any:
        """Perform `action` now and record it; what is due at once follows. Returns what the action gives.

        An action applied by another action or by an event is part of its cause and is not recorded again.
        """
        with self.guard:
            return self._apply(action)

    def _apply(self, action: Action) -> Any:
        if self._applying:
            return action.perform(self)
        recorded = Recorded(self.now, action)
        self.recorded.append(recorded)
        if self.on_record:
            self.on_record(recorded)
        self._applying = True
        try:
            result = action.perform(self)
            self._run_until(self.now)
        finally:
            self._applying = False
        return result

    def schedule(self, event: Event, delay: int) -> None:
        """Publish `event` after `delay` ns (at least 0)."""
        self._queue.push(self.now + max(delay, 0), event)

    def schedule_at(self, event: Event, time: int) -> None:
        """Publish `event` at `time`, or at once if that has passed."""
        self._queue.push(max(time, self.now), event)

    def publish(self, event: Event) -> None:
        """Tell the floors above, in their order, before returning."""
        for handler in self._bus.handlers(event):
            handler(self, event)

    def advance(self, duration: int) -> None:
        """Let `duration` ns pass."""
        self.advance_to(self.now + duration)

    def advance_to(self, time: int, stop: Callable[[], bool] | None = None) -> None:
        """Let time pass until `time`; an earlier time is no change. With `stop`, it stands still at the first event
        after which that holds.
        """
        self._applying = True
        try:
            stopped = self._run_until(time, stop)
        finally:
            self._applying = False
        if not stopped:
            self.now = max(self.now, time)

    def next_event_time(self) -> int | None:
        """When something is next due by itself, or None."""
        return self._queue.next_time()

    def fork(self) -> Simulation[W]:
        """An independent copy that goes its own way; it shares every record that neither changes."""
        twin: Simulation[W] = Simulation(self.world.copy(), self.seed, self._bus)
        twin.now = self.now
        twin.recorded = list(self.recorded)
        twin._queue = self._queue.copy()
        return twin

    def state_digest(self) -> str:
        """A name of the whole state: time, tables and what is due."""
        text = "\n".join([str(self.seed), str(self.now), self.world.digest(), *self._queue.lines()])
        return blake2b(text.encode(), digest_size=16).hexdigest()

    def _run_until(self, time: int, stop: Callable[[], bool] | None = None) -> bool:
        """Publish what is due until `time`. Whether `stop` held before that."""
        while (due := self._queue.next_time()) is not None and due <= time:
            self.now = max(self.now, due)
            self.publish(self._queue.pop())
            if stop is not None and stop():
                return True
        return False


def replay(simulation: Simulation[W], recorded: list[Recorded], until: int | None = None) -> Simulation[W]:
    """Do again in a new `simulation` what was recorded, and let time pass until `until`. Returns the simulation."""
    for entry in recorded:
        simulation.advance_to(entry.time)
        simulation.apply(entry.action)
    if until is not None:
        simulation.advance_to(until)
    return simulation

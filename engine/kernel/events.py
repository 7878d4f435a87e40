"""Events, the bus that carries them upward, and the queue that orders them by (time, sequence).

A floor tells the floors above it what happened by publishing an event (physics: a link went down; the subnet manager
hears it). Handlers are plain functions `(simulation, event)`, given once when the simulation is put together, and run
in that order.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.kernel.simulation import Simulation


class Event:
    """Something that happened, or is due to. Subclasses are frozen dataclasses of plain values."""

    __slots__ = ()


Handler = Callable[["Simulation[Any]", Any], None]


class Bus:
    """Which handlers hear which event. Fixed once built, hence shared by forks."""

    def __init__(self, handlers: Iterable[tuple[type[Event], Handler]]) -> None:
        self._handlers: dict[type[Event], list[Handler]] = {}
        for event_type, handler in handlers:
            self._handlers.setdefault(event_type, []).append(handler)

    def handlers(self, event: Event) -> list[Handler]:
        """The handlers of this very type of event, in order."""
        return self._handlers.get(type(event), [])


class LateBus(Bus):
    """A bus that asks for the handlers of a type of event when the first of it is published."""

    def __init__(self, find: Callable[[type[Event]], list[Handler]]) -> None:
        super().__init__(())
        self._find = find

    def handlers(self, event: Event) -> list[Handler]:
        kind = type(event)
        if kind not in self._handlers:
            self._handlers[kind] = self._find(kind)
        return self._handlers[kind]


class Queue:
    """Events that are due later, by (time, sequence): equal times keep the order in which they were scheduled."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Event]] = []
        self._sequence = 0

    def push(self, time: int, event: Event) -> None:
        """Schedule `event` at `time` (ns)."""
        self._sequence += 1
        heapq.heappush(self._heap, (time, self._sequence, event))

    def next_time(self) -> int | None:
        """When the first event is due, or None."""
        return self._heap[0][0] if self._heap else None

    def pop(self) -> Event:
        """Take the first event."""
        return heapq.heappop(self._heap)[2]

    def copy(self) -> Queue:
        """An independent queue; events are immutable and shared."""
        twin = Queue()
        twin._heap = list(self._heap)
        twin._sequence = self._sequence
        return twin

    def lines(self) -> list[str]:
        """What is due, in order, as text; part of the state's digest."""
        return [f"{time}\t{event!r}" for time, _, event in sorted(self._heap, key=lambda entry: entry[:2])]

"""What happens to queues of Ethernet ports, beside the vocabulary of engine.world.events. A queue is an egress port and
a traffic class.
"""

from __future__ import annotations

from engine.kernel.events import Event
from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class QueueStuck(Event):
    """Scheduled: the watchdog of a port looks again at a queue that sent nothing because of pause."""

    port: str
    traffic_class: int


@dataclass(frozen=True, slots=True)
class QueueQuiet(Event):
    """Scheduled: the watchdog of a port looks again at a stormed queue that gets no pause any more."""

    port: str
    traffic_class: int


@dataclass(frozen=True, slots=True)
class QueueStormed(Event):
    """A watchdog took a queue in hand, or (`restored`) lets it go."""

    port: str
    traffic_class: int
    restored: bool = False


@dataclass(frozen=True, slots=True)
class QueuesLock(Event):
    """Scheduled: queues that wait for each other in a circle, (port, traffic class) each, fill up at the same time and
    stand still, if they still do.
    """

    circle: tuple[tuple[str, int], ...]

"""Events of containers."""

from __future__ import annotations

from engine.kernel.events import Event
from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ContainerMemoryFills(Event):
    """Scheduled: a training in a container fills the /dev/shm there, unless its process (`pid`) has gone by then."""

    host: str
    identifier: str
    pid: int

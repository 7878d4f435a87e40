"""What happens on the buses inside a node."""

from __future__ import annotations

from engine.kernel.events import Event
from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PcieErrorsDue(Event):
    """Scheduled: the link above a function has been mended by its own protocol again, unless its signals changed since
    `since`; `number` counts how often before.
    """

    node: str
    address: str
    since: int
    number: int


@dataclass(frozen=True, slots=True)
class XidReported(Event):
    """The driver has written an Xid of a GPU to the kernel log."""

    gpu: str
    number: int

"""What happens to the power and the air of nodes and to their BMCs; given on by engine.world.events."""

from __future__ import annotations

from engine.kernel.events import Event
from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class PowerInputChanged(Event):
    """Power supplies of a node came or went, or its power brake."""

    node: str


@dataclass(frozen=True, slots=True)
class PowerRestoreDue(Event):
    """Scheduled: a BMC that has power again decides whether it starts its node, unless one did since (`boots`)."""

    node: str
    boots: int


@dataclass(frozen=True, slots=True)
class LeakAlarm(Event):
    """The leak rope of a rack's cooling door raises its alarm, or the alarm is over."""

    rack: str
    raised: bool


@dataclass(frozen=True, slots=True)
class SensorCheckDue(Event):
    """Scheduled: a BMC compares its sensors with their thresholds."""

    node: str


@dataclass(frozen=True, slots=True)
class InletDue(Event):
    """Scheduled: a node's changing inlet temperature reaches the next whole degree or its end, unless it was changed
    since.
    """

    node: str
    since: int


@dataclass(frozen=True, slots=True)
class BiosClockDue(Event):
    """Scheduled: the BIOS of a node whose boot was initiated at `began` sets the BMC's clock."""

    node: str
    began: int

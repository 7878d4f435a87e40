"""What happens to links of networks: part of the vocabulary of engine.world.events, which gives these on."""

from __future__ import annotations

from engine.kernel.events import Event
from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class LinkChanged(Event):
    """A network port went up or down."""

    port: str
    up: bool


@dataclass(frozen=True, slots=True)
class LinkRateChanged(Event):
    """The link of a network port runs at another rate than before, without having gone for longer than it takes to
    train.
    """

    port: str


@dataclass(frozen=True, slots=True)
class SignalChanged(Event):
    """The signal that comes in by a network port is better or worse than before."""

    port: str


@dataclass(frozen=True, slots=True)
class CableFlaps(Event):
    """Scheduled: a cable that comes and goes since `since` goes `down` or comes back, for the `count`th time."""

    cable: str
    since: int
    count: int
    down: bool


@dataclass(frozen=True, slots=True)
class SubnetSweepDue(Event):
    """Scheduled: a subnet manager sweeps its fabric, because links came or went or as it started."""


@dataclass(frozen=True, slots=True)
class SubnetSwept(Event):
    """A subnet manager has brought up ports that waited for it, or (`rerouted`) programmed other forwarding tables."""

    rerouted: bool

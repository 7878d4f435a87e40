"""What happens to links of networks and to their managers: part of the vocabulary of engine.world.events, which gives
these on.
"""

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
    """A subnet manager has brought up ports that waited for it, or (`rerouted`) programmed other forwarding tables.
    `moved` are end ports that had a LID and have been given another one.
    """

    rerouted: bool
    moved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModuleHeats(Event):
    """Scheduled: the plug in a cage that gets hotter since `since` crosses a limit (`stage`: alarm or shut_down), seen
    from `port`, unless somebody has replaced it meanwhile.
    """

    cage: str
    port: str
    since: int
    stage: str


@dataclass(frozen=True, slots=True)
class PlugChanged(Event):
    """The plug in a port's cage came, went or has an error: `what` is plugged, unplugged or hot."""

    port: str
    what: str


@dataclass(frozen=True, slots=True)
class HungUp(Event):
    """The main process of a unit got the signal HUP, by which many daemons read their configuration again."""

    host: str
    unit: str


@dataclass(frozen=True, slots=True)
class ManagerCrashes(Event):
    """Scheduled: opensm of a node crashes, as it does every `every` ns, if it is still process `pid`. Without one,
    something that watches it looks whether it runs.
    """

    place: str
    every: int
    pid: int = 0


@dataclass(frozen=True, slots=True)
class ManagerPollDue(Event):
    """Scheduled: the subnet manager at `place` (a node or switch), which stands by since `since`, asks its master
    whether it is alive.
    """

    place: str
    since: int

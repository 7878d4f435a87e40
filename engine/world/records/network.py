"""Network ports and the cables between them. States are numbered as in the InfiniBand specification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from hashlib import blake2b
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass
from engine.world.records.subnet import Partition


class PhysicalState(Enum):
    """Of an InfiniBand port, with its number."""

    POLLING = (2, "Polling")
    DISABLED = (3, "Disabled")
    TRAINING = (4, "PortConfigurationTraining")
    LINK_UP = (5, "LinkUp")
    RECOVERY = (6, "LinkErrorRecovery")


class LogicalState(Enum):
    """Of an InfiniBand port, with its number."""

    DOWN = (1, "Down")
    INITIALIZING = (2, "Initializing")
    ARMED = (3, "Armed")
    ACTIVE = (4, "Active")


@dataclass(frozen=True, slots=True)
class PortState:
    """A network port: what the administrator asked and what is latched.

    Whether it is up follows from both ends and the cable. `lid` and `sm_lid` are what a subnet
    manager last gave it (None: what the first sweep of the site gave), `initialized` whether one has brought it up
    since its link came up. `mtu` is the largest packet in bytes that it was set to (None: as large as it can). `hung`
    says that its link logic has stopped, so that it waits for a link until its chip is reset, `silent` that its
    management agent answers no packets from the fabric until then, `awaited` that the driver of its host has told of a
    link but not of its being Active yet.
    """

    enabled: bool = True
    lid: int | None = None
    sm_lid: int | None = None
    initialized: bool = True
    mtu: int | None = None
    hung: bool = False
    silent: bool = False
    awaited: bool = False


_NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PortCounters:
    """What a network port has counted besides the traffic of its flows, which stands in PortTraffic.

    `counts` is what each counter had come to at `since`. From then on errors and packets of management are added by the
    law of the link: whether there is one (`linked`; None: the one that the site was built with), the bit error rate of
    the signal that comes in (10^-`exponent`), and its Gb/s; `received` is how many bytes had come in at `since`.
    `cleared` is each counter's whole value when it was last reset, `cleared_at` when that was done to all of them at
    once (None: never); tools show what has come since.
    """

    counts: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    cleared: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    since: int = 0
    linked: bool | None = None
    exponent: int = 15
    rate: int = 0
    received: int = 0
    cleared_at: int | None = None


@dataclass(frozen=True, slots=True)
class Flapping:
    """A link that goes down by itself: since when, how often on average (ns), how many times so far, and whether it is
    down now.
    """

    since: int
    every: int
    count: int = 0
    down: bool = False


@dataclass(frozen=True, slots=True)
class CableState:
    """A cable: plugged in at both ends, how bad its signal is (bit error rate exponent after error correction; 15 is
    clean), the rate in Gb/s that it cannot pass (None: what its ends can do), whether its contact comes and goes, and
    whether somebody who works on it has it in hand. `lanes` is how many of its four lanes work, `part` the part number
    of another cable that stands in for the one that the site was built with ("": that one), and `spare` counts the
    cables that have been there before it.
    """

    plugged: bool = True
    error_exponent: int = 15
    rate_limit: int | None = None
    flapping: Flapping | None = None
    in_hand: bool = False
    lanes: int = 4
    part: str = ""
    spare: int = 0


@dataclass(frozen=True, slots=True)
class CableEnds:
    """The ports in which a cable is plugged now; () where it was when the site was built."""

    ends: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SwitchState:
    """A switch: whether it has power."""

    powered: bool = True


@dataclass(frozen=True, slots=True)
class ForwardingTable:
    """A switch's linear forwarding table as it is programmed: the port by LID, 255 for no way."""

    entries: bytes = b""

    def __repr__(self) -> str:
        name = blake2b(self.entries, digest_size=16).hexdigest()
        return f"ForwardingTable({len(self.entries)} entries, {name})"


@dataclass(frozen=True, slots=True)
class SubnetManagerState:
    """What a fabric's subnet managers have made of it.

    `started`: since when the one that swept last has been at work (None: nobody has swept since the site began).
    `engine` is the routing engine that made the tables ("" before that), `due` the time of the sweep that is to come,
    if one is, and `changed` the ports whose links it comes for. `master_lid` is the LID of the manager that swept last
    and `partitions` are those that it made (None: as the site began). `lids` are LIDs by port GUID that it remembers,
    of absent ports too (None: those of the site's first sweep).
    """

    started: int | None = None
    engine: str = ""
    due: int | None = None
    changed: tuple[str, ...] = ()
    master_lid: int | None = None
    partitions: tuple[Partition, ...] | None = None
    lids: tuple[tuple[int, int], ...] | None = None

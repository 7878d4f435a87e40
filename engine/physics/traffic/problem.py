"""What the solver is asked: links with capacities, receivers that drain, and flows with their ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.physics.traffic.profiles import Profile

UNLIMITED = 1 << 60
"""Bit/s of something that never is the narrowest place."""


@dataclass(frozen=True, slots=True)
class Link:
    """One direction of a cable: bit/s of payload that it carries, the profiles of the port that sends and of the one
    that receives, its length, and the largest packet that it passes.
    """

    capacity: int
    sender: Profile
    receiver: Profile
    length_m: int = 5
    mtu: int = 9216


@dataclass(frozen=True, slots=True)
class Demand:
    """A flow: the links on its way, bit/s that it would send, and how it behaves.

    Demands of one `group` all run at the share of the slowest. `late`: ns that marks take longer than usual until the
    sender hears of them; `capable`: its packets are marked although it does not react. In a routing loop the last
    `loop` links of the way are run through `laps` times more; nothing arrives.
    """

    links: tuple[str, ...]
    rate: int
    dscp: int = 0
    tcp: bool = False
    reacts: bool = False
    mtu: int = 4096
    group: str | None = None
    late: int = 0
    loop: int = 0
    laps: int = 0
    capable: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """Everything that a solution follows from.

    `links` by name; `drains`: bit/s that the receiver behind a last link takes (absent: all that comes); `stopped`:
    (link, class) that may never send (a storm of pause frames, a deadlock); `deaf`: (link, class) at which a watchdog
    ignores pause, and `sinks` at which it throws away what comes.
    """

    links: Mapping[str, Link]
    demands: tuple[Demand, ...]
    drains: Mapping[str, int] = field(default_factory=dict)
    stopped: frozenset[tuple[str, int]] = frozenset()
    deaf: frozenset[tuple[str, int]] = frozenset()
    sinks: frozenset[tuple[str, int]] = frozenset()

"""Ethernet ports and switches: quality of service, RoCE settings of adapters, what is broken or latched in a port, and
how a switch spreads flows.

One `PortQos` for each port of a switch (`leaf-01/3`) and of an adapter (`hgx-02/mlx5_3/1`); what a port has that nobody
changed follows from the site (engine.sites.ethernet). Priorities and traffic classes are numbered from 0 to
7, and what is kept for each is a tuple of eight. Sizes in bytes, probabilities in ppm.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass

PRIORITIES = 8
DSCPS = 64

NONE = (False,) * PRIORITIES
ALL = (True,) * PRIORITIES

TRUST_DSCP = "dscp"
TRUST_PCP = "pcp"
"""The priority stands in the VLAN tag; packets without one, as on routed ports, have the default priority."""


def only(*places: int) -> tuple[bool, ...]:
    """Eight switches, on at `places`."""
    return tuple(place in places for place in range(PRIORITIES))


@dataclass(frozen=True, slots=True)
class Watchdog:
    """A PFC watchdog: when a queue counts as stormed (no packet sent for `detection_ms` while it is paused, looked at
    every `poll_ms`), when as restored (no pause for `restoration_ms`), and its `action`: drop, forward or alert.
    """

    on: bool = False
    detection_ms: int = 200
    restoration_ms: int = 200
    poll_ms: int = 200
    action: str = "drop"


@dataclass(frozen=True, slots=True)
class PortQos:
    """The quality of service of one Ethernet port.

    `priorities` by DSCP (64), `classes` the traffic class (queue) of each priority. PFC: `pause_sent` and
    `pause_obeyed` by priority; `cable_m` is the length that headroom was worked out for, `headroom` a size stated by
    hand instead. ECN: `marks` by traffic class, along the line from `mark_from` to `mark_top` with at most `mark_most`.
    ETS: `strict` and `weights` (percent) by traffic class; neither: the vendor's own way. `pause_at` and `resume_at`
    count what one ingress port has in the buffer for a priority; `drop_at` is the limit of a queue that is not
    lossless. Of adapters: `rate_limits` in Gb/s by traffic class (0: none), `buffer_of` the receive buffer of each
    priority, `buffers` their sizes (empty: as the firmware divides them).
    """

    trust: str = TRUST_PCP
    default_priority: int = 0
    priorities: tuple[int, ...] = tuple(dscp // 8 for dscp in range(DSCPS))
    classes: tuple[int, ...] = tuple(range(PRIORITIES))
    pause_sent: tuple[bool, ...] = NONE
    pause_obeyed: tuple[bool, ...] = NONE
    marks: tuple[bool, ...] = NONE
    mark_from: int = 150_000
    mark_top: int = 1_500_000
    mark_most: int = 1_000_000
    weights: tuple[int, ...] = (0,) * PRIORITIES
    strict: tuple[bool, ...] = NONE
    cable_m: int = 100
    headroom: int | None = None
    pause_at: int = 1_000_000
    resume_at: int = 950_000
    drop_at: int = 2_000_000
    watchdog: Watchdog = Watchdog()
    rate_limits: tuple[int, ...] = (0,) * PRIORITIES
    buffer_of: tuple[int, ...] = (0,) * PRIORITIES
    buffers: tuple[int, ...] = ()

    def classified(self, dscp: int) -> int:
        """The priority of a packet with this DSCP that comes in by the port, or is sent by the host behind it."""
        return self.priorities[dscp] if self.trust == TRUST_DSCP else self.default_priority


@dataclass(frozen=True, slots=True)
class RoceSettings:
    """How an adapter's port speaks RoCE: by priority whether it notifies senders of marks (NP) and whether it slows
    down when it is told (RP); DSCP and priority of the notifications (CNP); the traffic class that all its RDMA packets
    get (`traffic_class`; None: what programs ask), and the type of service of connections made by the connection
    manager (`connection_tos`).
    """

    notifies: tuple[bool, ...] = ALL
    reacts: tuple[bool, ...] = ALL
    cnp_dscp: int = 48
    cnp_priority: int = 6
    traffic_class: int | None = None
    connection_tos: int = 0


@dataclass(frozen=True, slots=True)
class StormedQueue:
    """A queue (traffic class) of a port that its watchdog took in hand, since when, and what it does to it."""

    traffic_class: int
    since: int
    action: str


@dataclass(frozen=True, slots=True)
class EthernetPort:
    """What an Ethernet port has besides its settings.

    `floods`: priorities for which it sends pause without end. `takes`: bit/s of payload that the receiver behind it
    takes (None: all that its bus moves). `fec`: the error correction that it is set to ("": the one that its speed
    asks for). `stormed`: queues that its watchdog took in hand; `storms` and `restored` count them, by traffic class;
    `looked_at` and `quiet`: classes at which it looks again soon, as stuck or as quiet. `locked`: classes that stand
    still in a circle with others until somebody lets them go; `circling`: such a circle may close soon.
    """

    floods: tuple[int, ...] = ()
    takes: int | None = None
    fec: str = ""
    stormed: tuple[StormedQueue, ...] = ()
    storms: tuple[int, ...] = (0,) * PRIORITIES
    restored: tuple[int, ...] = (0,) * PRIORITIES
    looked_at: tuple[int, ...] = ()
    quiet: tuple[int, ...] = ()
    locked: tuple[int, ...] = ()
    circling: bool = False

    @property
    def correction(self) -> str:
        """The error correction that it runs: RS, which 400 Gb/s links need, unless something else was set."""
        return self.fec or "rs"


@dataclass(frozen=True, slots=True)
class EthernetSwitch:
    """How an Ethernet switch spreads flows over equal ways.

    `hash_seed` of its hash; `adaptive`: flows go by the least loaded way instead; `lag_hash`: what the hash over the
    legs of a bundle looks at (layer3+4 or layer2). `routes`: routes by hand, as (port of a host, egress port).
    """

    hash_seed: int = 0
    adaptive: bool = False
    lag_hash: str = "layer3+4"
    routes: tuple[tuple[str, str], ...] = ()

"""Traffic: what owners send over the fabric, what they get of it, and what each end of a link has counted.

Demands are bit/s of payload, shares millionths (ppm) of a demand. What has been moved is kept exactly, as rate times
ns (bit/s x ns), so that nothing is lost by rounding when rates change and both ends of a link always agree.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass

WHOLE = 1_000_000
"""A share of everything that was asked for."""


@dataclass(frozen=True, slots=True)
class ServiceClass:
    """How a flow's packets are treated: DSCP (or service level on InfiniBand), `tcp` or else RDMA, whether its sender
    slows down when it hears of congestion marks, the payload of a packet in bytes, and whether its packets say that
    they may be marked although nobody slows down (ECN-capable).
    """

    dscp: int = 0
    tcp: bool = False
    reacts: bool = False
    mtu: int = 4096
    capable: bool = False


@dataclass(frozen=True, slots=True)
class Flow:
    """A stream of data between two ports: port ids of both ends, bit/s of payload that it would send, the egress ports
    on its way in order (none: there is no way), its service, and the index of the partition key that it uses. It is
    `stale` once the LID of an end is another than when it was opened: what it sends goes to the old one. `held` is the
    part of the time (ppm) in which the ports on its way wait for its receiver while it gets all that it asks for.
    `entropy` tells it from others between the same ports where switches choose ways by a hash (its UDP source port).
    Switches send its packets round the last `loop` links of its way until their time to live ends; none arrives.
    """

    source: str
    destination: str
    rate: int
    links: tuple[str, ...] = ()
    service: ServiceClass = ServiceClass()
    key_index: int = 0
    stale: bool = False
    held: int = 0
    entropy: int = 0
    loop: int = 0


@dataclass(frozen=True, slots=True)
class Bundle:
    """What one owner sends since `since`: `shares` say what each flow gets through now, in ppm of its demand.

    The flows of a coupled bundle, such as a collective, all run at the share of the slowest. `moved` is the payload
    that arrived before `since`, over all flows (bit/s x ns); `detoured`: some flow goes another way, or none, because
    something is broken.
    """

    flows: tuple[Flow, ...] = ()
    coupled: bool = False
    since: int = 0
    shares: tuple[int, ...] = ()
    moved: int = 0
    detoured: bool = False


@dataclass(frozen=True, slots=True)
class Volume:
    """Traffic of one priority that leaves a port; either per second, or (then each times ns) in total.

    `bits` of payload, `packets`, `waiting` time in which data stood ready but the receiver stopped it (in ppm: missing
    credits or pause), `pauses` the pause frames that asked for it, `dropped` bits of payload that were to leave here
    and were discarded instead, `marked` packets that were marked as having met congestion.
    """

    bits: int = 0
    packets: int = 0
    waiting: int = 0
    pauses: int = 0
    dropped: int = 0
    marked: int = 0

    def plus(self, other: Volume, times: int = 1) -> Volume:
        """This and `other` taken `times`."""
        return Volume(
            self.bits + other.bits * times,
            self.packets + other.packets * times,
            self.waiting + other.waiting * times,
            self.pauses + other.pauses * times,
            self.dropped + other.dropped * times,
            self.marked + other.marked * times,
        )


@dataclass(frozen=True, slots=True)
class RoceVolume:
    """What a host's RoCE port notices of congestion and loss; either per second, or (then each times ns) in total.

    As receiver: packets that came in `marked`, notifications sent (`told`), packets that came out of order (`gaps`).
    As sender: notifications that slowed it (`heard`), requests to go back that it got (`resent`), and times that no
    answer came at all (`timeouts`).
    """

    marked: int = 0
    told: int = 0
    gaps: int = 0
    heard: int = 0
    resent: int = 0
    timeouts: int = 0

    def plus(self, other: RoceVolume, times: int = 1) -> RoceVolume:
        """This and `other` taken `times`."""
        return RoceVolume(
            self.marked + other.marked * times,
            self.told + other.told * times,
            self.gaps + other.gaps * times,
            self.heard + other.heard * times,
            self.resent + other.resent * times,
            self.timeouts + other.timeouts * times,
        )


@dataclass(frozen=True, slots=True)
class RoceTraffic:
    """What a host's RoCE port notices per second since `since` (`now`) and noticed before (`total`)."""

    since: int = 0
    now: RoceVolume = RoceVolume()
    total: RoceVolume = RoceVolume()


@dataclass(frozen=True, slots=True)
class PortTraffic:
    """What leaves a port: by priority, what passes per second since `since` (`now`) and what passed before (`total`).

    `asked` is what all flows through it would send together in bit/s, `owners` the bundles with flows through it.
    The receiving end of the cable shows the same numbers.
    """

    since: int = 0
    now: tuple[tuple[int, Volume], ...] = ()
    total: tuple[tuple[int, Volume], ...] = ()
    asked: int = 0
    owners: tuple[str, ...] = ()

"""What TCP streams between two programs get (iperf3): the processor's limit of a stream, the wire's of all of them.

Pure formulas on plain numbers, and a reader of the way between two hosts. A stream costs its sender time for each 64
KiB and for each packet; streams run on processors of their own (iperf3 since 3.16). A bond sends a stream over one
of its members. Headers: 38 bytes of Ethernet and 52 of IPv4 and TCP with timestamps to a packet, which gives the
well known 9.41 Gb/s of 10 Gb/s at an MTU of 1500.

Guesses: a single stream on such hosts (24 Gb/s at an MTU of 1500, 36 at 9000), retransmissions while a link is full,
and the congestion window, which grows for a few seconds and then stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.control import sockets
from engine.kernel.random import hash64
from engine.physics import links
from engine.world.world import World

WHOLE = 1_000_000
_PIECE = 65_536
_PIECE_NS, _PACKET_NS = 13_150, 192
_FRAME, _HEADERS = 38, 52
_MBIT = 1_000_000
_LOOPBACK_MBIT = 400_000
_FIRST_WINDOW, _MOST_WINDOW = 340 * 1024, 3_200 * 1024
_GROWS_FOR = 4


@dataclass(frozen=True, slots=True)
class Route:
    """Between two hosts: MTU, bit/s of a leg, RDMA ports at both ends of each leg (none: not in the traffic model)."""

    mtu: int
    leg_rate: int
    legs: int
    ports: tuple[tuple[str, str], ...] = ()


def largest_segment(mtu: int) -> int:
    """Bytes of payload in a packet."""
    return max(mtu - _HEADERS, 1)


def stream_limit(mtu: int) -> int:
    """Bit/s of payload that one stream's processor moves."""
    packets = -(-_PIECE // largest_segment(mtu))
    return _PIECE * 8 * 1_000_000_000 // (_PIECE_NS + _PACKET_NS * packets)


def goodput(rate: int, mtu: int) -> int:
    """Bit/s of payload on a link of `rate` bit/s."""
    return rate * largest_segment(mtu) // (mtu + _FRAME)


def leg_of(route: Route, stream: int, *names: object) -> int:
    """The member of a bond that carries a stream: a hash of its addresses and ports."""
    return hash64("bond", stream, *names) % route.legs


def demands(route: Route, streams: int, limit: int, *names: object) -> list[int]:
    """Bit/s of each stream without other traffic: its processor, its share of its leg, and `limit` (0: none)."""
    legs = [leg_of(route, stream, *names) for stream in range(streams)]
    each = stream_limit(route.mtu)
    wire = goodput(route.leg_rate, route.mtu)
    rates = [min(each, wire // legs.count(leg)) for leg in legs]
    return [min(rate, limit) if limit else rate for rate in rates]


def retransmissions(full: bool, second: int, *names: object) -> int:
    """Segments sent again within a second: some while a link is full, most of them while the window still grows."""
    if not full:
        return 0
    draw = hash64("retransmissions", second, *names) % 100
    return 20 + draw % 60 if second == 0 else (draw % 12 if draw < 30 else 0)


def window(second: float, *names: object) -> int:
    """The congestion window in bytes."""
    most = _FIRST_WINDOW + hash64("window", *names) % (_MOST_WINDOW - _FIRST_WINDOW)
    grown = min(second, _GROWS_FOR) / _GROWS_FOR
    return int(_FIRST_WINDOW + (most - _FIRST_WINDOW) * grown)


def route(world: World, way: sockets.Way) -> Route:
    """The way between two hosts as streams see it."""
    mtu = min(way.own.mtu, way.theirs.mtu)
    if way.own.kind == "loopback" or way.own == way.theirs:
        return Route(65_536, _LOOPBACK_MBIT * _MBIT, 1)
    host = _host(world, way)
    mine, theirs = _ports(world, host, way.own.members), _ports(world, way.target, way.theirs.members)
    if mine and theirs:
        rates = [world.inventory.hca(port.rpartition("/")[0]).rate for port in (*mine, *theirs)]
        legs = tuple((port, theirs[index % len(theirs)]) for index, port in enumerate(mine))
        return Route(mtu, min(rates) * 1000 * _MBIT, len(mine), legs)
    speeds = [each.speed for each in (way.own, way.theirs) if each.speed]
    speeds += [25_000] if not speeds else []
    return Route(mtu, min(speeds) * _MBIT, 1)


def _host(world: World, way: sockets.Way) -> str:
    found = sockets.owner_of(world, way.own_address)
    return found or way.target


def _ports(world: World, host: str, names: Sequence[str]) -> list[str]:
    """The RDMA ports of members of a bond that have a link, which the traffic model knows."""
    hcas = (hca for hca in world.node(host).hcas if hca.netdev in names)
    return [hca.port for hca in hcas if links.link_up(world, hca.port)]

"""What a link carries and what a host drains, in bit/s of payload; and what packets add on the wire.

Headers: InfiniBand 26 bytes a packet (LRH 8, BTH 12, ICRC 4, VCRC 2), of which port counters leave out the VCRC; RoCE
v2 82 bytes (Ethernet 14 and FCS 4, IPv4 20, UDP 8, BTH 12, ICRC 4, preamble and gap 20), of which counters leave out
the last 20. On InfiniBand 98.8 % of what remains arrives (392.7 of 400 Gb/s, as perftest measures NDR). PCI Express
under RDMA: 26 of 282 bytes of a packet are headers. Rates of a lane: PCI Express base specification, after encoding.
"""

from __future__ import annotations

from engine.physics import links, pcie
from engine.physics.traffic.routes import end_of_unseen
from engine.world.inventory import Hca
from engine.world.world import World

GIGA = 1_000_000_000
MTU = 4096
"""Bytes of payload of a full packet where nothing says otherwise."""

JUMBO = 9216
"""Bytes of the largest packet of an Ethernet port that nobody set."""

_QUANTA_BITS = 65_535 * 512
_INFINIBAND_WIRE, _INFINIBAND_COUNTED = 26, 24
_ETHERNET_WIRE, _ETHERNET_COUNTED = 82, 62
_INFINIBAND_PERMILLE = 988
_PCIE_PAYLOAD, _PCIE_HEADERS = 256, 26
_PCIE_LANE = {1: 2_000_000_000, 2: 4_000_000_000, 3: 7_880_000_000, 4: 15_752_000_000, 5: 31_504_000_000}
_PCIE_LANE_6 = 60_504_000_000


def ethernet(world: World, link: str) -> bool:
    """Whether an egress port speaks Ethernet."""
    return _place(world, end_of_unseen(link) or link).ethernet


def _place(world: World, port: str) -> links.Place:
    """As `links.place`; kept, because a solution asks for every port on its way."""
    return world.inventory.once(("place", port), lambda: links.place(world.inventory, port))


def header(world: World, link: str) -> int:
    """Bytes that port counters count of each packet beside its payload."""
    return _ETHERNET_COUNTED if ethernet(world, link) else _INFINIBAND_COUNTED


def largest_packet() -> int:
    """Bytes of a full packet as an Ethernet port's MTU counts it."""
    return MTU + _ETHERNET_COUNTED


def pause_frames(world: World, link: str) -> int:
    """Pause frames per second that keep an egress port stopped: each holds for 65535 times 512 bits (IEEE 802.1Qbb) and
    is repeated after half of that.
    """
    return 2 * _place(world, link).device.rate * GIGA // _QUANTA_BITS


def carries(world: World, link: str, mtu: int = MTU) -> int:
    """Payload in bit/s that leaves an egress port at most: its link's rate less headers; 0 without a link."""
    port = end_of_unseen(link) or link
    if not links.link_up(world, port):
        return 0
    raw = links.rate(world, port) * GIGA * mtu
    if _place(world, port).ethernet:
        return raw // (mtu + _ETHERNET_WIRE)
    return raw * _INFINIBAND_PERMILLE // (1000 * (mtu + _INFINIBAND_WIRE))


def moves(world: World, port: str) -> int:
    """Payload in bit/s that a host's RDMA device moves over its PCI Express link, each way."""
    hca = _place(world, port).device
    assert isinstance(hca, Hca)
    link = pcie.link(world, hca.node, hca.address)
    lane = _PCIE_LANE.get(link.generation, _PCIE_LANE_6)
    return lane * link.width * _PCIE_PAYLOAD // (_PCIE_PAYLOAD + _PCIE_HEADERS)


def of_a_host(port: str) -> bool:
    """Whether the port is one of a node's RDMA devices rather than of a switch."""
    return port.count("/") == 2


def sends(world: World, link: str) -> int:
    """Payload in bit/s that an egress port sends at most, with what a host's device can fetch."""
    wire = carries(world, link)
    return min(wire, moves(world, link)) if of_a_host(link) and end_of_unseen(link) is None else wire

"""The network's end of a path: what a port's wire carries, and what adapters move between it, host memory and GPUs.

Sources: header bytes of InfiniBand (LRH, BTH, ICRC, VCRC) and RoCE (Ethernet, IPv4, UDP, BTH, ICRC) packets; 392 Gb/s
of NDR and 196 of HDR (ib_write_bw), 98.01 of RoCE over 100G; 33 of 93 GB/s without GPUDirect RDMA (NVIDIA/nccl#1412),
half with access control redirecting to the root (NVIDIA/nccl#949), 100 of 337 with a translating IOMMU, 34.5 of 44.6
with adapters on other host bridges. Guesses: lost packets cost a round trip's window (go-back-N, 5 us); a path through
the processor (0.8) or between sockets (0.5); RDMA of host memory under a translating IOMMU (0.93) or from the far
socket (0.85); small read requests and strict ordering (NVIDIA's tuning guides ask for 4096 bytes and relaxed ordering,
and give no figures).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.physics import host_interfaces, iommu, links, optics
from engine.physics import pcie as bus
from engine.physics.paths import pcie, topology
from engine.world.inventory import Hca
from engine.world.world import World

WHOLE = 1_000_000
"""A share of everything, in ppm."""

PACKET_SIZES = host_interfaces.PACKET_SIZES
"""Bytes of payload that a packet may be set to carry."""

_INFINIBAND_HEADER, _ROCE_HEADER = 26, 82
_INFINIBAND_SHARE = 0.988
_ROUND_TRIP_SECONDS = 5e-6
_TRANSLATED_HOST, _FAR_HOST = 0.93, 0.85
_REQUEST_SHARE = (0.30, 0.55, 0.80, 0.95, 1.0, 1.0, 1.0, 1.0)
"""Of a link's rate, by MaxReadReq (128 bytes times two to the power of the index): requests under way are limited."""
_STRICT_ORDER = 0.75
_STAGED, _TRANSLATED = 0.64, 0.45
_FAR: Mapping[str, float] = MappingProxyType(
    {topology.HOST_BRIDGE: 0.80, topology.SAME_NUMA: 0.65, topology.SYSTEM: 0.50}
)


def header_share(ethernet: bool, mtu: int) -> float:
    """What is left for payload after headers (and InfiniBand's own overhead) with packets of `mtu` bytes."""
    header = _ROCE_HEADER if ethernet else _INFINIBAND_HEADER
    return mtu / (mtu + header) * (1.0 if ethernet else _INFINIBAND_SHARE)


def packet_loss(error_exponent: int, mtu: int) -> float:
    """The share of packets of `mtu` bytes that a cable with a bit error rate of 10^-exponent spoils."""
    return min(1.0, float(8 * mtu / 10**error_exponent))


def loss_share(loss: float, rate: float, mtu: int) -> float:
    """What is left of `rate` (Gb/s) when a share of the packets is lost and everything after one is sent again."""
    window = max(1.0, _ROUND_TRIP_SECONDS * rate / 8 * 1e9 / mtu)
    return 1.0 / (1.0 + loss * window)


def wire_rate(rate: float, ethernet: bool, mtu: int, loss: float = 0.0, share: int = WHOLE) -> float:
    """GB/s of payload over a link of `rate` Gb/s."""
    return rate / 8 * header_share(ethernet, mtu) * loss_share(loss, rate, mtu) * share / WHOLE


def packet_size(world: World, port: str) -> int:
    """Bytes of payload in a packet of an RDMA port: InfiniBand's link MTU, or what the interface leaves a RoCE port."""
    place = links.place(world.inventory, port)
    if not place.ethernet or not isinstance(place.device, Hca):
        return links.mtu(world, port)
    return host_interfaces.roce_payload(host_interfaces.port_mtu(world, place.device))


def cable_loss(world: World, port: str, mtu: int) -> float:
    """The share of packets that the cable in a port spoils."""
    joined = links.cable(world.inventory, port)
    return packet_loss(optics.worst_exponent(world, joined), mtu) if joined else 0.0


def wire(world: World, port: str, *, mtu: int | None = None, queue_pairs: int = 1, share: int = WHOLE) -> float:
    """GB/s that a port of a host carries in one direction as far as its own cable goes; 0.0 without a link.

    A device of several bonded ports gives one leg to a queue pair; no site has one, so `queue_pairs` changes nothing.
    """
    if queue_pairs < 1 or not links.link_up(world, port):
        return 0.0
    size = min(mtu or PACKET_SIZES[0], packet_size(world, port))
    ethernet = links.place(world.inventory, port).ethernet
    return wire_rate(links.rate(world, port), ethernet, size, cable_loss(world, port, size), share)


def host_memory(world: World, hca_id: str, *, near: bool = True) -> float:
    """GB/s that an adapter moves to or from host memory, whatever its wire carries."""
    hca = world.inventory.hca(hca_id)
    rate = pcie.rdma(*pcie.slowest(world, hca.node, pcie.cached_hops(world, hca.node, hca.address)))
    rate *= _request_share(world, hca) * (1.0 if _relaxed(world, hca) else _STRICT_ORDER)
    return rate * (1.0 if near else _FAR_HOST) * (_TRANSLATED_HOST if iommu.translates(world, hca.node) else 1.0)


def host_rdma(
    world: World,
    hca_id: str,
    *,
    near: bool = True,
    mtu: int | None = None,
    queue_pairs: int = 1,
    share: int = WHOLE,
) -> float:
    """GB/s between host memory and the wire of an adapter (ib_write_bw). `near`: the memory is on its socket."""
    port = world.inventory.hca(hca_id).port
    carried = wire(world, port, mtu=mtu, queue_pairs=queue_pairs, share=share)
    return min(carried, host_memory(world, hca_id, near=near))


def _request_share(world: World, hca: Hca) -> float:
    """What is left of a link whose adapter may ask for less than 4096 bytes at a time (Device Control, MaxReadReq)."""
    if not world.pci_functions.generation:
        return 1.0
    from engine.physics.config_space import writing

    return _REQUEST_SHARE[writing.field(world, hca.node, hca.address, "express", "DevCtl", "MaxReadReq")]


def _relaxed(world: World, hca: Hca) -> bool:
    """Whether an adapter's writes to host memory may overtake each other (Device Control, RlxdOrd)."""
    if not world.pci_functions.generation:
        return True
    from engine.physics.config_space import writing

    return bool(writing.field(world, hca.node, hca.address, "express", "DevCtl", "RlxdOrd"))


def gpu_nic(world: World, gpu_id: str, hca_id: str, *, direct: bool = True) -> float:
    """GB/s between a GPU's memory and an adapter of its node, each way while both run.

    `direct`: GPUDirect RDMA; else the data goes through host memory and crosses the way to the root twice.
    """
    gpu, hca = world.inventory.gpu(gpu_id), world.inventory.hca(hca_id)
    pattern = world.inventory.pattern(gpu.node)
    between, ports, distance = world.inventory.once(
        ("gpu to adapter", pattern, gpu.address, hca.address), lambda: _way(world, pattern, gpu.address, hca.address)
    )
    straight = pcie.rdma(*pcie.slowest(world, gpu.node, between)) * _request_share(world, hca)
    uplink = pcie.copy(*pcie.uplink(world, gpu.node, gpu.address))
    if not direct:
        return min(straight, uplink / 2 * _STAGED)
    if iommu.translates(world, gpu.node):
        return min(straight, uplink / 2 * _TRANSLATED)
    if distance in _FAR:
        return min(straight, uplink * _FAR[distance])
    turned_back = any(bus.redirects(world, gpu.node, port) for port in ports)
    return min(straight, uplink / 2) if turned_back else straight


def gpu_rdma(
    world: World,
    gpu_id: str,
    hca_id: str,
    *,
    direct: bool,
    mtu: int | None = None,
    queue_pairs: int = 1,
    share: int = WHOLE,
) -> float:
    """GB/s between a GPU's memory and the wire of an adapter (ib_write_bw --use_cuda)."""
    port = world.inventory.hca(hca_id).port
    carried = wire(world, port, mtu=mtu, queue_pairs=queue_pairs, share=share)
    return min(carried, gpu_nic(world, gpu_id, hca_id, direct=direct))


def _way(world: World, host: str, gpu: str, hca: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Functions whose links lie between a GPU and an adapter, ports that could turn requests up, and the distance."""
    node = world.node(host)
    distance = topology.relation(node, gpu, hca)
    between, ports = pcie.meeting(node, gpu, hca)
    if distance in _FAR or not between:
        between = (*pcie.hops(node, gpu), *pcie.hops(node, hca))
    return between, ports, distance

"""The route between two RDMA devices, read from the world: what perftest's formulas are given."""

from __future__ import annotations

from dataclasses import dataclass

from engine.physics import iommu, links
from engine.physics.paths import fabric, figures, network
from engine.workloads.perftest import WHOLE, Route
from engine.world.inventory import Hca
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class End:
    """A device with the memory that it reads and writes: a GPU's, or the host's (`near`: of its own socket)."""

    hca: Hca
    gpu: str | None = None
    near: bool = True


def route(
    world: World,
    first: End,
    second: End,
    *,
    mtu: int | None = None,
    queue_pairs: int = 1,
    share: int = WHOLE,
    key_index: int = 0,
    dscp: int = 0,
    message: int | None = None,
) -> Route | None:
    """What lies between two ends; None where no packet gets from one to the other, over the partition key at
    `key_index`, with RoCE's `dscp`, in messages of `message` bytes. A device reaches itself without the network, at the
    rate of its port.
    """
    own = first.hca.port == second.hca.port
    way = None if own else fabric.between(world, first.hca.port, second.hca.port, key_index, dscp=dscp, payload=message)
    if way is None and not (own and links.link_up(world, first.hca.port)):
        return None
    size = min(mtu or network.PACKET_SIZES[0], *(network.packet_size(world, end.hca.port) for end in (first, second)))
    rates = [_rate(world, end, size, queue_pairs) for end in (first, second)]
    if way is not None:
        rates.append(fabric.along(world, way, first.hca.port, mtu=size))
    cards = [figures.card_figures(end.hca) for end in (first, second)]
    return Route(
        rate=min(rates) * share / WHOLE,
        switches=way.switches if way else 0,
        ethernet=links.place(world.inventory, first.hca.port).ethernet,
        card=max(cards, key=lambda card: card.message_ns),
        packet=size,
        memory_rate=min(_memory(world, end) for end in (first, second)),
        gpu_ends=sum(end.gpu is not None for end in (first, second)),
        far=not (first.near and second.near),
        translated=any(iommu.translates(world, end.hca.node) for end in (first, second)),
        share=share,
    )


def _rate(world: World, end: End, mtu: int, queue_pairs: int) -> float:
    """GB/s between an end's memory and its wire."""
    if end.gpu is not None:
        return network.gpu_rdma(world, end.gpu, end.hca.id, direct=True, mtu=mtu, queue_pairs=queue_pairs)
    return network.host_rdma(world, end.hca.id, near=end.near, mtu=mtu, queue_pairs=queue_pairs)


def _memory(world: World, end: End) -> float:
    """GB/s between an end's memory and its card."""
    if end.gpu is not None:
        return network.gpu_nic(world, end.gpu, end.hca.id, direct=True)
    return network.host_memory(world, end.hca.id, near=end.near)

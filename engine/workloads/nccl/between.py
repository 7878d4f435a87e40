"""Between the hosts of a communicator: which adapter talks to which, and what the network carries.

Channels go over the adapters of each host in order, and data is split evenly over them: a host gets as many times the
rate of the slowest adapter of the whole communicator as there are adapters (NVIDIA/nccl-tests#106: one slow node of a
pair gives 49 instead of 88 GB/s). A ring goes through the hosts in the order of the ranks. Guesses: that sockets stop
at 5.5 GB/s a node with one thread and one socket, and by how much more of them help.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernel.quick_dataclass import dataclass
from engine.physics.paths import fabric, network, nvlink
from engine.physics.paths.fabric import FabricPath
from engine.physics.paths.network import WHOLE
from engine.workloads.nccl import interfaces
from engine.workloads.nccl.gathering import HostPart
from engine.workloads.nccl.shape import WITHOUT_LIMIT, Delivery, Shape
from engine.world.world import World

_UNDER_NCCL = 0.975
_SOCKET_SHARE, _SOCKET_MOST, _SOCKETS_THAT_HELP = 0.92, 5.5, 4
_ETHERNET = "Ethernet"


@dataclass(frozen=True, slots=True)
class Rail:
    """A connection between two ports on the ring, the ranks at its ends, its way (None: there is none), the index of
    the partition key that it uses, and the DSCP that it asks for.
    """

    source: str
    destination: str
    sender: int
    receiver: int
    way: FabricPath | None
    rate: float
    key_index: int = 0
    dscp: int = 0


@dataclass(frozen=True, slots=True)
class Rails:
    """All connections of the ring between hosts; none within one host or over sockets."""

    rails: tuple[Rail, ...] = ()

    @property
    def slowest(self) -> float:
        """GB/s of the slowest connection."""
        return min(rail.rate for rail in self.rails)

    def delivery(self, parts: Sequence[HostPart], shape: Shape, launches: int, share: int = WHOLE) -> Delivery:
        """What the machine gives to a communicator of these hosts."""
        clock = min(part.clock for part in parts)
        per_node = shape.ranks_per_node
        inside = nvlink.nvls(shape.nvlinks, shape.figures, per_node) * nvlink.clock_share(clock)
        ways = [rail.way for rail in self.rails if rail.way]
        return Delivery(
            ring=min(_inside(part) for part in parts),
            nvls=inside if shape.multicast else 0.0,
            copy=min(part.copy for part in parts),
            network=self._network(parts, shape, share),
            clock=clock,
            fabric=_fabric(parts, shape),
            switches=max((way.switches for way in ways), default=1),
            launches=launches,
            direct=shape.direct,
        )

    def _network(self, parts: Sequence[HostPart], shape: Shape, share: int) -> float:
        """GB/s that each host gets."""
        if shape.nodes == 1:
            return WITHOUT_LIMIT
        if shape.socket:
            return min(_over_sockets(part) for part in parts) * share / WHOLE
        carried = self.slowest * share / WHOLE
        moved = min(rate for part in parts for rate in part.adapter_rates[: shape.adapters])
        return min(carried, moved) * shape.adapters * _UNDER_NCCL


def _inside(part: HostPart) -> float:
    """Bus bandwidth of a ring inside a node; without peer access and shared memory over its network."""
    if part.nvlinks or part.shared_memory or len(part.ranks) == 1:
        return part.ring
    if part.socket:
        return _over_sockets(part) / len(part.ranks)
    wires = (network.wire(part.world, adapter.hca.port) for adapter in part.adapters)
    return min(*part.adapter_rates, *wires) * _UNDER_NCCL


def _over_sockets(part: HostPart) -> float:
    """GB/s of a node over sockets: its interface, or what NCCL's threads do, more of them a little more."""
    environment = part.environment
    threads = max(1, environment.number("NCCL_SOCKET_NTHREADS", 1))
    sockets = threads * max(1, environment.number("NCCL_NSOCKS_PERTHREAD", 1))
    most = _SOCKET_MOST * (1 + (min(sockets, _SOCKETS_THAT_HELP) - 1) / 2)
    return min(interfaces.bandwidth(part.interfaces[0]) / 8 * _SOCKET_SHARE, most)


def rails_of(world: World, parts: Sequence[HostPart], shape: Shape) -> Rails:
    """The connections of the ring through the hosts."""
    if shape.nodes == 1 or shape.socket:
        return Rails()
    following = [*parts[1:], parts[0]]
    return Rails(
        tuple(
            _rail(world, here, there, place)
            for here, there in zip(parts, following, strict=True)
            for place in range(shape.adapters)
        )
    )


def _rail(world: World, here: HostPart, there: HostPart, place: int) -> Rail:
    source, destination = here.adapters[place], there.adapters[place]
    key = here.environment.number("NCCL_IB_PKEY", 0)
    dscp = here.environment.number("NCCL_IB_TC", 0) >> 2 & 0x3F
    way = fabric.between(world, source.hca.port, destination.hca.port, key, dscp=dscp)
    ethernet = source.hca.link_layer == _ETHERNET
    rate = network.wire_rate(way.rate, ethernet, way.mtu, way.loss) if way else 0.0
    return Rail(
        source.hca.port,
        destination.hca.port,
        here.ranks[here.gpus.index(source.gpu)],
        there.ranks[there.gpus.index(destination.gpu)],
        way,
        rate,
        key,
        dscp,
    )


def _fabric(parts: Sequence[HostPart], shape: Shape) -> str:
    if shape.socket:
        return "socket"
    ethernet = any(adapter.hca.link_layer == _ETHERNET for part in parts for adapter in part.adapters)
    return "ethernet" if ethernet else "infiniband"

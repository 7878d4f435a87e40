"""What NCCL expects of each algorithm and protocol, from which it chooses.

Constants and rules are those of NCCL's tuner and search (src/graph/tuning.cc, search.cc, topo.h). Time is latency plus
size over bandwidth; latencies in microseconds, bandwidths in GB/s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass
from engine.workloads.nccl.operations import Operation
from engine.workloads.nccl.shape import Shape

LL, LL128, SIMPLE = "LL", "LL128", "Simple"
PROTOCOLS = (LL, LL128, SIMPLE)

_BASE = {"Tree": (6.8, 14.0, 8.4), "Ring": (6.6, 14.0, 8.4)}
_HOP_NVLINK = {"Tree": (0.6, 1.25, 4.0), "Ring": (0.6, 1.9, 3.4)}
_HOP_PCIE = {"Tree": (1.0, 1.9, 4.0), "Ring": (1.0, 2.5, 5.7)}
_HOP_NETWORK = {"Tree": (5.0, 8.5, 14.0), "Ring": (2.7, 4.0, 14.0)}
_POST = (1.0, 1.0, 3.0)
_NVLS, _NVLS_TREE_NETWORK, _COLLNET_NETWORK = 25.0, 20.9, 31.0

# By compute capability; three numbers are for one, two and more nodes.
LL_MOST = {80: (87.7, 39.0, 20.4), 90: (141.0, 39.0, 20.4), 100: (282.0, 39.0, 20.4)}
_LL128_CHANNEL = {80: 20.0, 90: 36.7, 100: 40.0}
TREE_CHANNEL = {80: (24.0, 23.6, 17.8), 90: (38.7, 41.4, 36.0), 100: (70.0, 42.8, 24.0)}
_NVLS_TREE_CHANNEL = {90: (0.0, 57.7, 45.5), 100: (0.0, 96.0, 80.0)}
_NVLS_EFFICIENCY = {80: 0.85, 90: 0.85, 100: 0.74}
_SPEEDS_INSIDE = {
    80: (40, 30, 20, 18, 15, 12, 10),
    90: (60, 50, 40, 30, 24, 20, 15, 12),
    100: (90, 80, 70, 60, 50, 45, 40, 30),
}
_SPEEDS_BETWEEN: Mapping[int, tuple[float, ...]] = MappingProxyType(
    {
        80: (48, 30, 28, 24, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3, 2.4, 1.2),
        90: (48, 45, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2),
        100: (96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3),
    }
)
_TREE_BY_SIZE = (  # tenths of the tree's bandwidth, from 64 B to 256 MiB by powers of two
    (10, 10, 10, 10, 9, 8, 7, 7, 7, 7, 6, 5, 4, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 10),
    (10, 10, 10, 10, 10, 9, 8, 8, 8, 7, 6, 6, 6, 6, 6, 6, 8, 9, 9, 9, 9, 10, 10, 10),
    (9, 9, 9, 9, 9, 9, 9, 8, 7, 6, 6, 5, 5, 5, 5, 6, 7, 8, 7, 7, 8, 9, 9, 9),
)
_WITHOUT_PEER_ACCESS = 12.0
_LARGE_PER_CHANNEL = 64
_FAST, _VERY_FAST, _FEW, _AMPERE = 25.0, 50.0, 4, 80


@dataclass(frozen=True, slots=True)
class Choice:
    """An algorithm with a protocol: latency as NCCL counts it, and the algorithm bandwidth that it expects."""

    algorithm: str
    protocol: str
    latency: float
    believed: float

    @property
    def number(self) -> int:
        """The protocol's place in NCCL's tables."""
        return PROTOCOLS.index(self.protocol)


@dataclass(frozen=True, slots=True)
class Graph:
    """The channels that NCCL's search finds: how many, and GB/s of each."""

    channels: int
    speed: float

    @property
    def bus(self) -> float:
        """Bus bandwidth of all channels."""
        return self.channels * self.speed


def floor_log2(number: int) -> int:
    """The whole part of the binary logarithm."""
    return number.bit_length() - 1


def scale(nodes: int) -> int:
    """The column of tables with figures for one, two and more nodes."""
    return min(nodes, 3) - 1


def ring_graph(shape: Shape) -> Graph:
    """The rings: inside a node as many channels as fill the NVLinks, between nodes one for each adapter. Where each of
    them is fast, the search makes twice as many of half the speed.
    """
    graph = _searched(shape)
    capability = shape.figures.compute_capability
    slow = graph.speed < _FAST or (capability > _AMPERE and graph.speed < _VERY_FAST and graph.channels > _FEW)
    return graph if slow else Graph(2 * graph.channels, graph.speed / 2)


def _searched(shape: Shape) -> Graph:
    capability = shape.figures.compute_capability
    if shape.nodes > 1:
        lanes = 12.0 * 2 ** (shape.figures.pcie_generation - 3)
        speeds = _SPEEDS_BETWEEN[capability]
        reached = min(shape.adapter_rate / 8, lanes)
        return Graph(max(1, shape.adapters), next((speed for speed in speeds if speed <= reached), speeds[-1]))
    if not shape.nvlinks:
        return Graph(2, _WITHOUT_PEER_ACCESS / 2)
    total = shape.nvlinks * shape.figures.credited_link
    found = [Graph(int(total / speed + 1e-9), float(speed)) for speed in _SPEEDS_INSIDE[capability]]
    best = max(graph.bus for graph in found)
    return next(graph for graph in found if graph.bus == best) if best else Graph(1, total)


def choices(shape: Shape, operation: Operation) -> tuple[Choice, ...]:
    """All that NCCL can choose from."""
    graph = ring_graph(shape)
    found = list(_rings(shape, operation, graph))
    if operation.sums:
        found += [*_trees(shape, graph), *_in_switches(shape, operation, graph)]
    return tuple(found)


def believed_time(choice: Choice, shape: Shape, operation: Operation, size: int) -> float:
    """Microseconds that NCCL expects."""
    latency, rate = choice.latency, choice.believed
    if choice.algorithm == "Tree":
        rate *= tree_share(choice.number, size)
    large_ring = choice.algorithm == "Ring" and choice.protocol == SIMPLE and shape.nodes > 1 and operation.sums
    if large_ring and size / (16 * shape.ranks) >= _LARGE_PER_CHANNEL:
        latency *= 1.4
    return latency + size / (1000 * rate)


def tree_share(protocol: int, size: int) -> float:
    """NCCL's correction of a tree's bandwidth by size."""
    place = floor_log2(max(1, size // 64))
    row = _TREE_BY_SIZE[protocol]
    return row[place] / 10 if place < len(row) - 1 else 1.0


def _protocols(shape: Shape) -> Iterator[tuple[int, str]]:
    """LL128 needs NVLink inside a node, and between nodes a direct path from GPU to adapter."""
    packed = shape.nvlinks > 0 and (shape.nodes == 1 or (shape.direct and not shape.socket))
    yield from ((number, name) for number, name in enumerate(PROTOCOLS) if name != LL128 or packed)


def _rings(shape: Shape, operation: Operation, graph: Graph) -> Iterator[Choice]:
    capability, nodes = shape.figures.compute_capability, shape.nodes
    hop = (_HOP_NVLINK if shape.nvlinks else _HOP_PCIE)["Ring"]
    steps = operation.ring_steps(shape.ranks)
    outside = operation.steps_between_nodes(nodes) if nodes > 1 else 0
    for number, protocol in _protocols(shape):
        bus = graph.bus
        if protocol == LL:
            bus = min(LL_MOST[capability][scale(nodes)], bus * 0.5)
        elif protocol == LL128:
            bus = min(bus * 0.92, graph.channels * _LL128_CHANNEL[capability])
        step = max(hop[number], _POST[number] if nodes > 1 else 0.0)
        latency = _BASE["Ring"][number] + (steps - outside) * step + outside * _HOP_NETWORK["Ring"][number]
        yield Choice("Ring", protocol, latency, bus * shape.ranks / max(1, steps))


def _trees(shape: Shape, graph: Graph) -> Iterator[Choice]:
    capability, nodes = shape.figures.compute_capability, shape.nodes
    column = scale(nodes)
    hop = (_HOP_NVLINK if shape.nvlinks else _HOP_PCIE)["Tree"]
    for number, protocol in _protocols(shape):
        bus = min(graph.bus * 0.92, graph.channels * TREE_CHANNEL[capability][column])
        if protocol == LL:
            bus = min(bus / 3.8, LL_MOST[capability][column])
        elif protocol == LL128:
            bus = min(bus * (7 / 9 if nodes == 1 else 15 / 16), graph.channels * _LL128_CHANNEL[capability])
        levels = (shape.ranks_per_node - 1) * hop[number] + floor_log2(nodes) * _HOP_NETWORK["Tree"][number]
        yield Choice("Tree", protocol, _BASE["Tree"][number] + 2 * levels, bus * 0.5)


def _in_switches(shape: Shape, operation: Operation, graph: Graph) -> Iterator[Choice]:
    """NVLink SHARP inside a node, joined by a tree between nodes, or by SHARP of the network's switches."""
    capability, per_node, nodes = shape.figures.compute_capability, shape.ranks_per_node, shape.nodes
    if not shape.multicast or not shape.nvlinks or per_node < 2 or not shape.figures.nvls_share:
        return
    efficiency = _NVLS_EFFICIENCY[capability]
    ratio = shape.ranks / operation.ring_steps(shape.ranks)
    if nodes == 1:
        total, speeds = shape.nvlinks * shape.figures.credited_link, _SPEEDS_INSIDE[capability]
        each_speed = next((each for each in speeds if each * (per_node - 1) <= total), speeds[-1])
        yield Choice("NVLS", SIMPLE, _NVLS, per_node * each_speed * efficiency * (per_node - 1) / per_node * 2 * ratio)
        return
    if shape.socket:
        return
    heads = max(1, shape.adapters)
    speed = graph.bus / heads
    most = min(speed * (2 if nodes == 2 else 1), _NVLS_TREE_CHANNEL[capability][scale(nodes)])
    each_head = min(speed * efficiency * (heads - 1) / heads * 2, most) if heads > 1 else most
    yield Choice("NVLSTree", SIMPLE, _NVLS + 2 * floor_log2(nodes) * _NVLS_TREE_NETWORK, heads * each_head * ratio)
    if shape.collnet:
        inside = 0.85 * shape.nvlinks * shape.figures.credited_link
        yield Choice("CollNetDirect", SIMPLE, _NVLS + _COLLNET_NETWORK, min(heads * speed * 0.95, inside))

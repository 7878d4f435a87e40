"""What the machine delivers for what NCCL chose.

`time = latency + size / rate + filling`, where filling a pipeline with the best size of chunk costs min(2 sqrt(h x
body), d). Constants are fitted to published sweeps: nccl-tests on 8 A100, H200 and B200 (ml-engineering), two nodes
of H100 (aws-samples, oci-hpc) and A100 (oci-hpc-oke), trees (NVIDIA/nccl#837), rings of five nodes (NVIDIA/nccl#1368),
H20 with NVLSTree (NVIDIA/nccl#1244), launches of one process (NVIDIA/nccl-tests#123), and what EFA adds (aws-samples).
Guesses: LL128's filling between nodes, NVLSTree beyond two nodes, SHARP, sockets, what Ethernet, a further switch and
staging add to a network step.
"""

from __future__ import annotations

import math

from engine.workloads.nccl.believe import (
    LL,
    LL128,
    LL_MOST,
    SIMPLE,
    TREE_CHANNEL,
    Choice,
    floor_log2,
    scale,
    tree_share,
)
from engine.workloads.nccl.operations import Operation
from engine.workloads.nccl.shape import Delivery, Shape

_WITHOUT_END = 1e9
# (h, d) in microseconds: inside one node, and between nodes.
_FILLING = {
    "Ring": ((6.0, 130.0), (18.0, 165.0)),
    "Tree": ((3.0, 130.0), (18.0, 165.0)),
    "NVLS": ((1.2, _WITHOUT_END), (18.0, 165.0)),
    "NVLSTree": ((18.0, 165.0), (18.0, 165.0)),
    "CollNetDirect": ((18.0, 165.0), (18.0, 165.0)),
}
_FILLING_BLACKWELL_NVLS = (8.0, 200.0)
_FILLING_LL128 = (6.0, 165.0)
_RING_LATENCY = 0.35  # of the tuner's latency that a large ring between nodes shows
_LL_ACHIEVED = {80: 0.30, 90: 1.0, 100: 1.0}
_NVLS_TREE, _NVLS_TREE_TWO_NODES, _NVLS_TREE_MORE = 0.935, 0.70, 0.96
_TREE_TWO_NODES, _TREE_MORE, _TREE_INSIDE = 0.63, 0.80, 0.46
_SHARP = 0.93
_PARTS_OF_A_RING = 0.984  # all-gather and reduce-scatter inside a node, of an all-reduce's ring
_LAUNCH = 2.7
_NETWORK_STEP = {"infiniband": 0.0, "ethernet": 0.7, "efa": 20.0, "socket": 25.0}
_SLOWER_FILLING = {"efa": (3.0, 2.0)}
_FURTHER_SWITCH, _STAGING_STEP = 0.35, 3.0


def rate(choice: Choice, shape: Shape, delivery: Delivery, operation: Operation, size: int) -> float:
    """Algorithm bandwidth in GB/s."""
    if choice.algorithm == "Ring":
        return _ring(choice, shape, delivery, operation)
    if choice.algorithm == "Tree":
        return _tree(choice, shape, delivery) * tree_share(choice.number, size)
    if choice.algorithm == "NVLS":
        return delivery.nvls
    if choice.algorithm == "NVLSTree":
        outside = _NVLS_TREE_TWO_NODES if shape.nodes == 2 else _NVLS_TREE_MORE / 2
        return min(delivery.nvls * _NVLS_TREE, delivery.network * outside)
    return min(delivery.nvls * _NVLS_TREE, delivery.network * _SHARP)


def time(choice: Choice, shape: Shape, delivery: Delivery, operation: Operation, size: int) -> float:
    """Microseconds of one collective."""
    body = size / (1000 * rate(choice, shape, delivery, operation, size))
    hidden = choice.algorithm == "Ring" and choice.protocol == SIMPLE and shape.nodes > 1
    begin = choice.latency * (_RING_LATENCY if hidden else 1.0)
    return begin + _added(choice, shape, delivery) + body + _filling(choice, shape, delivery, body)


def point_to_point_time(shape: Shape, delivery: Delivery, operation: Operation, size: int) -> float:
    """Microseconds of an operation made of single sends: each rank's way inside its node, or its part of the adapters.

    Latencies are guesses. A gather or scatter is as slow as its root, which takes from or gives to all others.
    """
    nodes, ranks, per_node = shape.nodes, shape.ranks, shape.ranks_per_node
    local = delivery.copy * 0.95 if shape.nvlinks else delivery.ring
    remote = delivery.network / per_node
    added = (_LAUNCH * (delivery.launches - 1)) + 7.2 * (1 / delivery.clock - 1)
    if operation.name == "sendrecv":
        return (20.0 if nodes > 1 else 12.0) + added + size / (1000 * min(local, remote))
    inside = (per_node - 1) / ranks * size / (1000 * local)
    outside = (ranks - per_node) / ranks * size / (1000 * remote * 0.9)
    return 15.0 + 1.5 * nodes + added + max(inside, outside)


def _ring(choice: Choice, shape: Shape, delivery: Delivery, operation: Operation) -> float:
    capability = shape.figures.compute_capability
    bus = min(delivery.ring, delivery.network)
    if shape.nodes == 1 and not operation.sums:
        bus *= _PARTS_OF_A_RING
    if choice.protocol == LL:
        bus = min(bus * 0.5, LL_MOST[capability][scale(shape.nodes)])
        bus *= _LL_ACHIEVED[capability] if shape.nodes == 1 else 1.0
    elif choice.protocol == LL128:
        bus *= 0.92
    return bus * shape.ranks / max(1, operation.ring_steps(shape.ranks))


def _tree(choice: Choice, shape: Shape, delivery: Delivery) -> float:
    if shape.nodes == 1:
        reached = delivery.ring * _TREE_INSIDE
    else:
        outside = _TREE_TWO_NODES if shape.nodes == 2 else _TREE_MORE / 2
        most = 8 * TREE_CHANNEL[shape.figures.compute_capability][scale(shape.nodes)] / 2
        reached = min(delivery.ring, most, delivery.network * outside)
    if choice.protocol == LL:
        return reached / 3.8 * 2
    return reached * 15 / 16 if choice.protocol == LL128 else reached


def _filling(choice: Choice, shape: Shape, delivery: Delivery, body: float) -> float:
    """Microseconds until the pipeline is full: once a collective, and once a chunk. LL's chunks are too small to
    matter.
    """
    inside = shape.nodes == 1
    if choice.protocol == LL or (choice.protocol == LL128 and inside):
        return 0.0
    step, most = _FILLING[choice.algorithm][0 if inside else 1] if choice.protocol == SIMPLE else _FILLING_LL128
    if choice.algorithm == "NVLS" and shape.figures.compute_capability >= 100:
        step, most = _FILLING_BLACKWELL_NVLS
    slower = (1.0, 1.0) if inside else _SLOWER_FILLING.get(delivery.fabric, (1.0, 1.0))
    return min(2 * math.sqrt(step * slower[0] * body), most * slower[1])


def _added(choice: Choice, shape: Shape, delivery: Delivery) -> float:
    """Microseconds that the state adds to NCCL's latency: slow clocks, launches one after another, the network."""
    added = min(choice.latency, 12.0) * 0.6 * (1 / delivery.clock - 1) + _LAUNCH * (delivery.launches - 1)
    if shape.nodes == 1:
        return added
    step = _NETWORK_STEP[delivery.fabric] + _FURTHER_SWITCH * (delivery.switches - 1)
    step += 0.0 if delivery.direct else _STAGING_STEP
    steps = {"Ring": 2 * (shape.nodes - 1), "CollNetDirect": 1}.get(choice.algorithm, 2 * floor_log2(shape.nodes))
    return added + step * steps

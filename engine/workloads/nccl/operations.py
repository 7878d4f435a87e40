"""The collective operations and what is counted for them.

`size` is what nccl-tests calls size: the whole array, of which a rank of an all-gather holds one part. Bus bandwidth is
size / time x `bus_factor`: what each rank's link must carry (nccl-tests, PERFORMANCE.md and the tests' sources).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Operation:
    """A collective: NCCL's name, steps of a ring of n ranks and how many of them lead to another of N nodes, whether
    algorithms other than the ring exist, and whether it is made of single sends.
    """

    name: str
    title: str
    bus: str = "one"
    steps: str = "n"
    sums: bool = False
    point_to_point: bool = False

    def bus_factor(self, ranks: int) -> float:
        """Bus bandwidth / algorithm bandwidth."""
        if self.bus == "one" or ranks < 2:
            return 1.0
        return (2.0 if self.bus == "twice" else 1.0) * (ranks - 1) / ranks

    def ring_steps(self, ranks: int) -> int:
        """How many steps a ring of that many ranks takes."""
        return {"n": ranks, "n-1": ranks - 1, "2(n-1)": 2 * (ranks - 1)}[self.steps]

    def steps_between_nodes(self, nodes: int) -> int:
        """How many of a ring's steps wait for another node."""
        return (2 if self.sums else 1) * (nodes - 1)


_ALL = (
    Operation("all_reduce", "AllReduce", "twice", "2(n-1)", sums=True),
    Operation("all_gather", "AllGather", "part", "n-1"),
    Operation("reduce_scatter", "ReduceScatter", "part", "n-1"),
    Operation("broadcast", "Broadcast"),
    Operation("reduce", "Reduce"),
    Operation("alltoall", "AlltoAll", "part", point_to_point=True),
    Operation("sendrecv", "SendRecv", point_to_point=True),
    Operation("gather", "Gather", "part", point_to_point=True),
    Operation("scatter", "Scatter", "part", point_to_point=True),
    Operation("hypercube", "HyperCube", "part", point_to_point=True),
)

OPERATIONS: Mapping[str, Operation] = MappingProxyType({operation.name: operation for operation in _ALL})

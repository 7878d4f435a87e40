"""The two descriptions of a communicator that everything is computed from: what NCCL sees, and what it really gets.

A fault that NCCL cannot see (a narrow PCIe link, loss, a busy neighbour, heat) changes only the second: that is why a
bad node is slow rather than routed around.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass
from engine.physics.paths.figures import GpuFigures

WITHOUT_LIMIT = 1e9
"""GB/s of a network that nothing crosses."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What NCCL sees. `nvlinks` is the fewest that a GPU of a node has to its peers (0: no peer access over NVLink),
    `adapters` how many network devices a node uses, `adapter_rate` Gb/s of the slowest of them.

    `direct`: GPUDirect RDMA on every node; `multicast`: NVLink SHARP can be used; `collnet`: SHARP in the switches.
    """

    figures: GpuFigures
    nodes: int
    ranks: int
    nvlinks: int
    multicast: bool = False
    adapters: int = 0
    adapter_rate: float = 0.0
    direct: bool = True
    socket: bool = False
    collnet: bool = False

    @property
    def ranks_per_node(self) -> int:
        """Ranks of a node; the mean, rounded down, where nodes differ."""
        return self.ranks // self.nodes


@dataclass(frozen=True, slots=True)
class Delivery:
    """What the machine gives, in GB/s: bus bandwidth of a ring inside a node, algorithm bandwidth of NVLink SHARP, a
    copy between two GPUs of a node, and what a node gets through its adapters.

    `clock` is the slowest SM clock as a share of the usual one, `fabric` infiniband, ethernet, efa or socket,
    `switches` how many a message crosses, `launches` how many GPUs one process serves.
    """

    ring: float
    nvls: float
    copy: float
    network: float = WITHOUT_LIMIT
    clock: float = 1.0
    fabric: str = "infiniband"
    switches: int = 1
    launches: int = 1
    direct: bool = True

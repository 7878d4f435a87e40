"""What hardware delivers, by product: GPUs and network cards.

Sources: NVIDIA's data sheets for links, memory and peak rates; NCCL's topology code for what it credits a link with.
Shares of the peak are fitted to published measurements: nccl-tests on A100, H200 and B200 (ml-engineering), NCCL's
maintainers (H100: 370 of 450 GB/s on a ring, 480 with NVLink SHARP), nvbandwidth (NVIDIA/nccl#1264: 380 one way, 742
both ways), DCGM's notes on memory bandwidth (2.54 TB/s of an H100), the MAMF table of best matrix products, HPL of
H100 (Voltage Park) and A100 (Top500). Guesses: HPL of H200 and B200, gpu_burn of A100 and B200, cards other than the
message rate of one queue pair (linux-rdma/perftest#132).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Hca


@dataclass(frozen=True, slots=True)
class GpuFigures:
    """A GPU product. Rates in GB/s, compute in TFLOP/s, memory in GiB; `*_share` is what of a peak is reached.

    `link` is one NVLink in one direction, `credited_link` what NCCL takes it for; `ring_share` a ring of all GPUs,
    `nvls_share` NVLink SHARP (0: none), `peer_share` a copy to a peer, `both_ways_share` one direction of two.
    """

    compute_capability: int
    nvlinks: int
    link: float
    credited_link: float
    ring_share: float
    nvls_share: float
    peer_share: float
    both_ways_share: float
    pcie_generation: int
    memory_bandwidth: float
    memory_share: float
    bf16: float
    bf16_share: float
    fp64: float
    fp32: float
    tf32: float
    hpl_share: float
    sgemm_share: float
    memory_gib: int

    @property
    def memory_rate(self) -> float:
        """GB/s that large streams through memory reach."""
        return self.memory_bandwidth * self.memory_share


@dataclass(frozen=True, slots=True)
class CardFigures:
    """A network card: ns between two messages of one queue pair, messages per microsecond of all, and microseconds of
    the first small message between two hosts without a switch.
    """

    name: str
    message_ns: float
    most_messages: float
    first_us: float


_A100 = GpuFigures(
    80, 12, 25.0, 20.0, 0.785, 0.0, 0.91, 0.86, 4, 2039.0, 0.83, 312.0, 0.869, 19.5, 19.5, 156.0, 0.72, 0.93, 80
)
_H100 = GpuFigures(
    90, 18, 25.0, 20.6, 0.818, 0.687, 0.85, 0.825, 5, 3350.0, 0.76, 989.0, 0.803, 66.9, 66.9, 494.0, 0.683, 0.77, 80
)
_H200 = GpuFigures(
    90, 18, 25.0, 20.6, 0.818, 0.689, 0.88, 0.835, 5, 4800.0, 0.80, 989.0, 0.803, 66.9, 66.9, 494.0, 0.72, 0.77, 141
)
_B200 = GpuFigures(
    100, 18, 50.0, 40.1, 0.760, 0.605, 0.83, 0.82, 5, 7700.0, 0.85, 2250.0, 0.776, 37.0, 75.0, 1100.0, 0.82, 0.85, 180
)

GPUS: Mapping[str, GpuFigures] = MappingProxyType(
    {
        "NVIDIA A100-SXM4-80GB": _A100,
        "NVIDIA H100 80GB HBM3": _H100,
        "NVIDIA H200": _H200,
        "NVIDIA B200": _B200,
    }
)
"""By the name that nvidia-smi shows."""

CONNECTX_6 = CardFigures("ConnectX-6", 380.0, 110.0, 0.82)
CONNECTX_7 = CardFigures("ConnectX-7", 190.0, 200.0, 0.75)
_CARDS: Mapping[str, CardFigures] = MappingProxyType({"MT4123": CONNECTX_6, "MT4129": CONNECTX_7})


def gpu_figures(product: str) -> GpuFigures:
    """The figures of a GPU by its product name. Raises BreakfixError for one that is not in the table."""
    if product not in GPUS:
        raise BreakfixError(unknown("GPU product", product, GPUS))
    return GPUS[product]


def card_figures(hca: Hca) -> CardFigures:
    """The figures of a network card by its device; cards that are not in the table count as ConnectX-7."""
    return _CARDS.get(hca.model, CONNECTX_7)

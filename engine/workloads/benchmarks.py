"""What single GPUs and whole machines reach in benchmarks: memory bandwidth, gpu_burn, matrix products, HPL.

Shares of the peak stand in engine/physics/paths/figures.py with their sources. HPL: the matrix fills 0.87 of the
memory; panels are broadcast and rows swapped over rings and adapters, and a third of that is not hidden; all GPUs wait
for the slowest. Guesses: what is hidden, 1.8 % lost for each doubling of the nodes (Top500 systems of H100 reach 36 to
43 TFLOP/s a GPU), 6 % lost by processes on the far socket, gpu_burn's double and tensor modes, and how a slow memory
holds up HPL. DCGM passes a GPU down to three quarters of what it expects (dcgm: diag-skus.yaml).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.physics.paths import figures as tables
from engine.physics.paths import near
from engine.physics.paths.figures import GpuFigures
from engine.workloads import clocks
from engine.workloads.nccl import Rank, communicator
from engine.world.world import World

PASSING_SHARE = 0.75
"""What DCGM's diagnostics ask of the figures that it expects."""

STRESS_GFLOPS: Mapping[int, float] = MappingProxyType({80: 9300.0, 90: 39000.0, 100: 44000.0})
"""What DCGM's targeted stress reaches on a healthy GPU, by compute capability."""

_MEMORY_OF_HPL, _BLOCK = 0.87, 1024
_LOSS_OF_A_DOUBLING = 0.018
_EXPOSED = 0.35
_FAR_SOCKET = 1.06
_DOUBLE, _TENSOR = 0.90, 0.62


@dataclass(frozen=True, slots=True)
class HplRun:
    """A run of HPL: order of the matrix, process grid, seconds, and GFLOP/s of all GPUs together."""

    order: int
    rows: int
    columns: int
    seconds: float
    gflops: float


def memory_rate(figures: GpuFigures, share: float) -> float:
    """GB/s of large streams through a GPU's memory when `share` of its bandwidth is left."""
    return figures.memory_rate * share


def matrix_product(figures: GpuFigures, clock: float) -> float:
    """TFLOP/s of a large product in bfloat16."""
    return figures.bf16 * figures.bf16_share * clock


def burn(figures: GpuFigures, clock: float, mode: str = "float") -> float:
    """GFLOP/s of gpu_burn: `float`, `double` (-d) or `tensor` (-tc)."""
    teraflops = {
        "float": figures.fp32 * figures.sgemm_share,
        "double": figures.fp64 * _DOUBLE,
        "tensor": figures.tf32 * _TENSOR,
    }
    return teraflops[mode] * clock * 1000


def hpl(
    figures: GpuFigures,
    nodes: int,
    gpus: int,
    *,
    clock: float = 1.0,
    memory: float = 1.0,
    ring: float,
    network: float,
    near_gpus: bool = True,
) -> HplRun:
    """HPL on `gpus` GPUs of `nodes` nodes.

    `clock` and `memory` are shares of the slowest GPU, `ring` GB/s of a ring inside a node, `network` GB/s that each
    GPU has between nodes, `near_gpus` whether processes run beside their GPUs.
    """
    order = int(math.sqrt(_MEMORY_OF_HPL * figures.memory_gib * 2**30 / 8 * gpus)) // _BLOCK * _BLOCK
    flops = 2 * order * order * order / 3 + 1.5 * order * order
    scale = 1 - _LOSS_OF_A_DOUBLING * doublings(nodes)
    each = figures.fp64 * figures.hpl_share * scale * clock * min(1.0, 0.5 + 0.5 * memory)
    compute = flops / (each * gpus * 1e12) * (1.0 if near_gpus else _FAR_SOCKET)
    rows = 1 << (gpus.bit_length() - 1) // 2
    columns = gpus // rows
    moved = 8 * order * order / 2 * (1 / rows + 1 / columns) / 1e9
    seconds = compute + _EXPOSED * moved / min(ring, network)
    return HplRun(order, rows, columns, seconds, flops / seconds / 1e9)


def doublings(number: int) -> float:
    """How often one must be doubled to give a number; between powers of two on a straight line."""
    whole = number.bit_length() - 1
    return whole + (number - (1 << whole)) / (1 << whole)


def memory_rate_of(world: World, gpu_id: str) -> float:
    """GB/s of large streams through the memory of a GPU."""
    product = world.inventory.gpu(gpu_id).product
    return memory_rate(tables.gpu_figures(product.name), world.gpus[gpu_id].memory_permille / 1000)


def burn_of(world: World, gpu_id: str, mode: str = "float") -> float:
    """GFLOP/s of gpu_burn on a GPU; 0.0 on one that hangs."""
    if world.gpus[gpu_id].hung:
        return 0.0
    product = world.inventory.gpu(gpu_id).product
    return burn(tables.gpu_figures(product.name), clocks.clock_share(world, gpu_id, "burn"), mode)


def hpl_of(world: World, ranks: Sequence[Rank], time: int) -> HplRun:
    """HPL with one process for each GPU. Raises CollectiveFailed where its collectives cannot end."""
    nccl = communicator(world, ranks, time=time)
    if nccl.failure:
        raise nccl.failure
    gpus = [world.inventory.gpu(rank.gpu) for rank in ranks]
    return hpl(
        nccl.shape.figures,
        nccl.shape.nodes,
        nccl.shape.ranks,
        clock=min(clocks.clock_share(world, gpu.id, "hpl") for gpu in gpus),
        memory=min(world.gpus[gpu.id].memory_permille for gpu in gpus) / 1000,
        ring=nccl.delivery.ring,
        network=nccl.delivery.network / nccl.shape.ranks_per_node,
        near_gpus=all(
            near.near(world.node(gpu.node), gpu.numa, rank.cpus) for gpu, rank in zip(gpus, ranks, strict=True)
        ),
    )

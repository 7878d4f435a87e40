"""Machines on paper: shapes and deliveries of communicators without a site, as published measurements describe them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.physics.paths import network, nvlink, pcie
from engine.physics.paths.figures import GPUS
from engine.workloads.nccl import timing
from engine.workloads.nccl.environment import Environment
from engine.workloads.nccl.operations import OPERATIONS
from engine.workloads.nccl.shape import WITHOUT_LIMIT, Delivery, Shape

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
NAMES = dict(zip(("A100", "H100", "H200", "B200"), GPUS, strict=True))
_EFA = 0.969  # 193.72 of 200 Gb/s
_UNDER_NCCL = 0.975


@dataclass(frozen=True)
class Machine:
    """A communicator on paper."""

    shape: Shape
    delivery: Delivery
    environment: Environment

    def time(self, size: int, operation: str = "all_reduce") -> timing.Timing:
        found = timing.candidates(self.shape, operation, self.environment)
        return timing.measured(self.shape, self.delivery, operation, found, size)

    def bus(self, size: int, operation: str = "all_reduce", added: float = 0.0) -> float:
        """GB/s of bus bandwidth; `added` are microseconds that the measuring program takes beside."""
        factor = OPERATIONS[operation].bus_factor(self.shape.ranks)
        return size / (self.time(size, operation).microseconds + added) / 1000 * factor

    def with_(self, **changes: object) -> Machine:
        """The same with other fields of shape or delivery."""
        shape = {name: value for name, value in changes.items() if name in Shape.__slots__}
        delivery = {name: value for name, value in changes.items() if name in Delivery.__slots__}
        return replace(self, shape=replace(self.shape, **shape), delivery=replace(self.delivery, **delivery))


def machine(
    gpu: str,
    nodes: int = 1,
    *,
    gpus: int = 8,
    adapters: int | None = None,
    rate: int = 400,
    fabric: str = "infiniband",
    launches: int = 1,
    nvls: bool = True,
    **environment: str,
) -> Machine:
    """`nodes` nodes with `gpus` GPUs and as many adapters of `rate` Gb/s, healthy."""
    figures, count = GPUS[NAMES[gpu]], gpus if adapters is None else adapters
    wire = rate / 8 * _EFA if fabric == "efa" else network.wire_rate(rate, fabric == "ethernet", 4096)
    moved = min(wire, pcie.rdma(figures.pcie_generation, 16)) * count * _UNDER_NCCL
    shape = Shape(
        figures=figures,
        nodes=nodes,
        ranks=nodes * gpus,
        nvlinks=figures.nvlinks,
        multicast=nvls,
        adapters=count,
        adapter_rate=rate,
    )
    delivery = Delivery(
        ring=nvlink.ring(figures.nvlinks, figures),
        nvls=nvlink.nvls(figures.nvlinks, figures, gpus),
        copy=nvlink.peer(figures.nvlinks, figures),
        network=moved if nodes > 1 else WITHOUT_LIMIT,
        fabric=fabric,
        launches=launches,
    )
    return Machine(shape, delivery, Environment(environment))

"""The kernel modules that give programs access to the adapters are not loaded on a node (a stack that was half
upgraded, a driver restart that failed): no /dev/infiniband/uverbs*, so that NCCL finds no adapter there, though the
ports have links. Loading them mends it.
"""

from __future__ import annotations

from engine.control import modules
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_STACK = ("rdma_ucm", "rdma_cm", "nvidia_peermem", "mlx5_ib", "ib_uverbs")
"""What a program needs to reach an adapter, users first. IP over InfiniBand and management packets need none of it."""


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Take them out of the kernel."""
    modules.forget(simulation, target, _STACK)


FAULT = Fault(
    id="rdma.modules_missing",
    title="The RDMA modules of a node are not loaded",
    targets=("gpu_node",),
    inject=inject,
    doc="No /dev/infiniband/uverbs*; NCCL falls back to sockets. modprobe mlx5_ib mends it.",
)

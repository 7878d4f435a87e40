"""A node's /etc/nccl.conf lists adapters for NCCL that are too few, or not those beside the GPUs (NVIDIA-NeMo/RL#3670:
valid names, no error, a third of the bandwidth lost).
"""

from __future__ import annotations

from engine.faults._nccl_configuration import set_for_node
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Leave the line behind."""
    set_for_node(simulation, target, "NCCL_IB_HCA", str(values["adapters"]))


FAULT = Fault(
    id="nccl.wrong_hca",
    title="NCCL is told to use the wrong InfiniBand adapters",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("adapters", "text", "mlx5_0,mlx5_3,mlx5_6,mlx5_9", "NCCL_IB_HCA's list."),),
    doc="Jobs run slowly: too few adapters carry what eight should. Take the line away, or list all eight.",
)

"""A GPU stops working in silence: no Xid, no ECC error, still on the bus (reports NVIDIA/nccl#1063, #968).

What runs on it never ends; the other ranks of a job wait in their next collective until the watchdog ends them. The
processes on the GPU cannot be killed while they wait for it, so Slurm gives up on them and drains the node. A restart
of the node frees it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.events import GpuLoadChanged
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """From now on nothing on this GPU makes progress."""
    simulation.world.gpus.update(target, hung=True)
    simulation.publish(GpuLoadChanged(target.partition("/")[0]))


FAULT = Fault(
    id="gpu.hung",
    title="A GPU hangs in silence",
    targets=("gpu",),
    inject=inject,
    doc="No message at all; the jobs on it stop making progress. A restart of its node frees it.",
)

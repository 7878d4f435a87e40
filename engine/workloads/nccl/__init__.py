"""NCCL: what it believes of the machine, and what the machine delivers.

    ranks = [Rank("dgx-01", f"dgx-01/gpu{index}", pid=4711 + index, user="priya") for index in range(8)]
    nccl = communicator(world, ranks, time=simulation.now)      # raises CollectiveFailed
    nccl.timing("all_reduce", 1 << 30).microseconds              # how long one takes, and by which algorithm
    nccl.bus_bandwidth("all_reduce", 1 << 30)                    # GB/s
    nccl.demands("all_reduce")                                   # what flows between which ports, bit/s
    nccl.initialization                                          # ns
    nccl.log(0)                                                  # what rank 0 prints under its NCCL_DEBUG
    nccl.log_file(0)                                             # where to, or None: to its output
    nccl.connecting(0, "all_reduce", 1 << 30)                    # and when it first uses what it takes for this size
    nccl.tuning("all_reduce", 1 << 30)                           # rank 0's line for each call (subsystem TUNING)

`communicator` answers for the world as it is now; callers make a new one when something has changed, and give it the
one that was made at the start as `before=`, so that an adapter that is lost meanwhile is missed. Nothing is stored.
`timing` raises CollectiveFailed for a collective that cannot end; `nccl.failure` tells the same without raising.
"""

from __future__ import annotations

from engine.workloads.nccl.communicator import Communicator, Demand, communicator
from engine.workloads.nccl.failures import CollectiveFailed, Result, Stage
from engine.workloads.nccl.operations import OPERATIONS, Operation
from engine.workloads.nccl.ranks import Rank
from engine.workloads.nccl.timing import Timing

__all__ = [
    "OPERATIONS",
    "CollectiveFailed",
    "Communicator",
    "Demand",
    "Operation",
    "Rank",
    "Result",
    "Stage",
    "Timing",
    "communicator",
]

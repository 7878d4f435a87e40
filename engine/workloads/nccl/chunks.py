"""Chunks of NCCL's single sends over the network that somebody made larger than the library can take.

Law (NVIDIA/nccl#2408): an all-to-all over several nodes with NCCL_P2P_NET_CHUNKSIZE or NCCL_CHUNK_SIZE of 1 MiB or
more gives wrong results, and MMU faults (Xid 31) on GPUs of every node; with the same value of 512 KiB or less on all
of them it is right. One node with a larger chunk than the others is enough. Guesses: how many elements are wrong, that
all single sends are concerned and collectives are not, and that faults come with messages of 256 MiB and more. That
large chunks are faster is left out.
"""

from __future__ import annotations

from engine.control import gpu_errors, processes
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.physics.load import bound_gpus
from engine.workloads.nccl.communicator import Communicator
from engine.workloads.nccl.operations import OPERATIONS
from engine.world.world import World

VARIABLES = ("NCCL_P2P_NET_CHUNKSIZE", "NCCL_CHUNK_SIZE")
UNSAFE_FROM = 1 << 20
FAULTS_FROM = 256 << 20
_MISTAKES_IN = 4096
"""One of so many elements is wrong, about."""


def unsafe(communicator: Communicator, operation: str) -> bool:
    """Whether what the operation moves arrives damaged."""
    if communicator.shape.nodes < 2 or not OPERATIONS[operation].point_to_point:
        return False
    return any(
        part.environment.number(variable, 0) >= UNSAFE_FROM for part in communicator.parts for variable in VARIABLES
    )


def wrong_elements(communicator: Communicator, operation: str, elements: int, side: int) -> int:
    """How many elements a check finds wrong; 0 where nothing is."""
    if not unsafe(communicator, operation):
        return 0
    chance = hash64(communicator.world.seed, "wrong", operation, elements, side) % 1024
    return max(1, elements * (512 + chance) // (1024 * _MISTAKES_IN))


@dataclass(frozen=True, slots=True)
class AccessAstray(Action):
    """A kernel of NCCL reads where nothing is: the driver reports it and ends the program, on one GPU of each node.
    `pids` are the processes of the ranks on `hosts`.
    """

    hosts: tuple[str, ...]
    pids: tuple[int, ...]

    def perform(self, simulation: Simulation[World]) -> None:
        for host in dict.fromkeys(self.hosts):
            mine = [pid for each, pid in zip(self.hosts, self.pids, strict=True) if each == host]
            pid = mine[hash64(simulation.world.seed, "astray", host, simulation.now) % len(mine)]
            process = processes.find(simulation.world, host, pid)
            gpus = bound_gpus(simulation.world, host)
            if process and process.gpus:
                gpu_errors.crash(simulation, gpus[process.gpus[0]].id, gpu_errors.PAGE_FAULT, process)

"""A training was started in a container with dockerd's usual /dev/shm of 64 MiB: the workers of PyTorch's DataLoader
fill it within a minute, the kernel ends one with SIGBUS, and the program ends with status 1.

Seen: `docker ps -a` shows Exited (1) less than a minute after each start, `docker logs` the bus error, `docker inspect`
ShmSize 67108864; the GPUs are idle and without Xids, the host has memory enough, and a container with sleep in it stays
up. Remedy: remove it and start it with `--shm-size` (16 GB is usual) or `--ipc=host`, or raise default-shm-size in
daemon.json for those that come.
"""

from __future__ import annotations

from engine.faults.container_gpus_lost import start_service
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_USUAL_KIB = 64 * 1024


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The training starts; what follows is its own affair."""
    start_service(
        simulation,
        target,
        str(values["name"]),
        command=("python", "train.py", "--workers", "8"),
        ipc="private",
        shm_kib=_USUAL_KIB,
        restart="no",
    )


FAULT = Fault(
    id="container.shared_memory_small",
    title="A training in a container has too little shared memory",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("name", "text", "trainer", "The container's name."),),
    doc="DataLoader worker is killed by signal: Bus error. Start it anew with --shm-size or --ipc=host.",
)

"""What work asks of a GPU: load profiles by kind of workload, and the load of a GPU from the processes on it.

Figures: gpu_burn on an H100 drew 635 W at 100 % SM and 10 % memory utilisation (nvidia-smi dmon, driver 590.48.01).
The others are guesses from what such work usually shows: training 600 to 690 W, inference half of the budget, HPL at
the power cap.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.world.inventory import Gpu
from engine.world.records import BusState, GpuLoad, Process
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class Profile:
    """A kind of work: SM and memory controller utilisation in percent, power wanted in permille of the product's
    budget.
    """

    sm: int
    memory_busy: int
    power_permille: int


IDLE = Profile(0, 0, 0)

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        "training": Profile(sm=98, memory_busy=46, power_permille=930),
        "inference": Profile(sm=62, memory_busy=31, power_permille=540),
        "burn": Profile(sm=100, memory_busy=10, power_permille=907),
        "hpl": Profile(sm=99, memory_busy=38, power_permille=1080),
        "power": Profile(sm=100, memory_busy=22, power_permille=1000),
        "nccl": Profile(sm=100, memory_busy=18, power_permille=430),
        "memory": Profile(sm=100, memory_busy=92, power_permille=620),
        "light": Profile(sm=12, memory_busy=4, power_permille=230),
    }
)
"""Workloads by name. Any other (a shell, a script, a notebook) holds its GPUs without using them."""

_MOST_POWER = 1200


def profile(workload: str | None) -> Profile:
    """The profile of a workload; idle for what is not known to use a GPU."""
    return PROFILES.get(workload or "", IDLE)


def bound_gpus(world: World, node: str) -> list[Gpu]:
    """The GPUs that the driver found when it was last loaded, in the order of nvidia-smi's index."""
    return [gpu for gpu in world.node(node).gpus if world.gpus[gpu.id].bound]


def gpu_processes(world: World, gpu_id: str) -> list[Process]:
    """The processes that hold a GPU. A process names its GPUs by nvidia-smi's index."""
    node = gpu_id.partition("/")[0]
    index = next((index for index, gpu in enumerate(bound_gpus(world, node)) if gpu.id == gpu_id), None)
    return [process for process in world.systems[node].processes if index in process.gpus]


def gpu_load(world: World, gpu_id: str) -> GpuLoad:
    """What runs on a GPU now."""
    return _total(gpu_processes(world, gpu_id)) if world.gpus[gpu_id].bus is BusState.PRESENT else GpuLoad()


def gpu_loads(world: World, node: str) -> dict[str, GpuLoad]:
    """The load of each GPU of a node, by id, in one pass."""
    holders: dict[int, list[Process]] = {}
    for process in world.systems[node].processes:
        for index in process.gpus:
            holders.setdefault(index, []).append(process)
    loads = dict.fromkeys((gpu.id for gpu in world.node(node).gpus), GpuLoad())
    for index, gpu in enumerate(bound_gpus(world, node)):
        if index in holders and world.gpus[gpu.id].bus is BusState.PRESENT:
            loads[gpu.id] = _total(holders[index])
    return loads


def _total(processes: list[Process]) -> GpuLoad:
    if not processes:
        return GpuLoad()
    profiles = [profile(process.workload) for process in processes]
    return GpuLoad(
        sm=min(100, sum(each.sm for each in profiles)),
        memory_busy=min(100, sum(each.memory_busy for each in profiles)),
        memory_used=sum(process.gpu_memory for process in processes),
        power_permille=min(_MOST_POWER, sum(each.power_permille for each in profiles)),
    )

"""What work asks of a GPU: load profiles by kind of workload, and the load of a GPU from the processes on it.

Figures: gpu_burn on an H100 drew 635 W at 100 % SM and 10 % memory utilisation (nvidia-smi dmon, driver 590.48.01).
Ranks that spin in a collective show 100 % SM at 70 to 110 W (NVIDIA/nccl issue 1063). The others are guesses from
what such work usually shows: training 600 to 690 W, inference half of the budget, HPL at the power cap.

On a MIG device work is done by its share of the multiprocessors. gpu_burn on three of seven slices drew 438 W of the
635 W on all (capture of an H100): 45 % of a load's power comes with the first slice, the rest is shared out.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass
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
        "spinning": Profile(sm=100, memory_busy=0, power_permille=150),
        "copies": Profile(sm=35, memory_busy=12, power_permille=260),
        "light": Profile(sm=12, memory_busy=4, power_permille=230),
    }
)
"""Workloads by name. Any other (a shell, a script, a notebook) holds its GPUs without using them."""

_SPINNING = PROFILES["spinning"]
_MOST_POWER = 1200

_ALL_SLICES = 7
_SLICES: Mapping[int, int] = MappingProxyType({0: 1, 1: 2, 2: 3, 3: 4, 4: 7})
"""Slices of a compute instance by the id of its profile."""
_POWER_OF_FIRST, _POWER_OF_SHARE = 450, 550
"""Permille of a load's power that does not, and that does depend on the share of multiprocessors."""


def profile(workload: str | None) -> Profile:
    """The profile of a workload; idle for what is not known to use a GPU."""
    return PROFILES.get(workload or "", IDLE)


def kind_of(load: GpuLoad) -> str:
    """The kind of work that asks most of a GPU with that load; "" for none."""
    fitting = [
        (each.power_permille, each.memory_busy, name)
        for name, each in PROFILES.items()
        if each.power_permille <= load.power_permille and each.memory_busy <= load.memory_busy and load.sm
    ]
    return max(fitting, default=(0, 0, ""))[2]


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
    return _load_of(world, gpu_id, gpu_processes(world, gpu_id))


def gpu_loads(world: World, node: str) -> dict[str, GpuLoad]:
    """The load of each GPU of a node, by id, in one pass."""
    holders: dict[int, list[Process]] = {}
    for process in world.systems[node].processes:
        for index in process.gpus:
            holders.setdefault(index, []).append(process)
    loads = dict.fromkeys((gpu.id for gpu in world.node(node).gpus), GpuLoad())
    for index, gpu in enumerate(bound_gpus(world, node)):
        if index in holders:
            loads[gpu.id] = _load_of(world, gpu.id, holders[index])
    return loads


def _load_of(world: World, gpu_id: str, processes: list[Process]) -> GpuLoad:
    """What processes make of a GPU; one that hangs spins in the kernel that it never ends."""
    state = world.gpus[gpu_id]
    if not processes or state.bus is not BusState.PRESENT:
        return GpuLoad()
    profiles = [_SPINNING] if state.hung else [profile(process.workload) for process in processes]
    if state.mig_enabled and not state.hung:
        slices = [_slices(world, gpu_id, process) for process in processes]
        return _load_in_parts(processes, list(zip(profiles, slices, strict=True)))
    return GpuLoad(
        sm=min(100, sum(each.sm for each in profiles)),
        memory_busy=min(100, sum(each.memory_busy for each in profiles)),
        memory_used=sum(process.gpu_memory for process in processes),
        power_permille=min(_MOST_POWER, sum(each.power_permille for each in profiles)),
    )


def _load_in_parts(processes: list[Process], parts: list[tuple[Profile, int]]) -> GpuLoad:
    """What processes on MIG devices make of a GPU: profiles with the slices that each has."""
    whole = max(each.power_permille for each, _ in parts)
    shares = sum(each.power_permille * slices for each, slices in parts)
    power = _POWER_OF_FIRST * whole // 1000 + _POWER_OF_SHARE * shares // (1000 * _ALL_SLICES)
    return GpuLoad(
        sm=min(100, sum(-(-each.sm * slices // _ALL_SLICES) for each, slices in parts)),
        memory_busy=min(100, sum(each.memory_busy * slices // _ALL_SLICES for each, slices in parts)),
        memory_used=sum(process.gpu_memory for process in processes),
        power_permille=min(_MOST_POWER, power),
    )


def _slices(world: World, gpu_id: str, process: Process) -> int:
    """Of the multiprocessors' seven slices, those that a process has."""
    for instance in world.mig[gpu_id].instances:
        for compute in instance.compute:
            if process.instance == (instance.id, compute.id):
                return _SLICES[compute.profile]
    return _ALL_SLICES

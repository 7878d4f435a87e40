"""How busy a host is: load averages, shares of CPU time, memory. Worked out from its processes.

The load average is the kernel's: an exponential mean over 1, 5 and 15 minutes of the tasks that want to run. How much
CPU and memory kinds of work take, and what the system keeps for itself, are guesses that look like a DGX H100.
"""

from __future__ import annotations

from engine.control import kernel_image
from engine.control.history.boot_kernel import memory_kib
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.shapes import Jitter, decay
from engine.kernel.simulation import Simulation
from engine.kernel.units import GIB, KIB, MINUTE, SECOND
from engine.world.world import World

_ONE = 1 << 30
_KEPT = 64


@dataclass(frozen=True, slots=True)
class Work:
    """CPU (permille of one) and memory (KiB) of each process of a kind of work."""

    cpu_permille: int
    resident_kib: int


_WORK = {
    None: Work(0, 8_192),
    "script": Work(4, 6_144),
    "training": Work(1_240, 21_400_000),
    "inference": Work(620, 14_200_000),
    "burn": Work(1_000, 1_900_000),
    "nccl": Work(1_000, 2_400_000),
    "hpl": Work(1_800, 38_000_000),
    "copies": Work(1_000, 1_400_000),
    "light": Work(130, 2_900_000),
}
_IDLE_GPU_USER = Work(80, 3_100_000)


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of a host in KiB, as /proc/meminfo and `free` have it."""

    total: int
    used: int
    free: int
    shared: int
    buff_cache: int
    available: int
    swap_total: int = 0
    swap_used: int = 0
    swap_free: int = 0


@dataclass(frozen=True, slots=True)
class CpuUse:
    """Shares of all CPU time in permille; together 1000."""

    user: int
    system: int
    nice: int
    idle: int
    wait: int
    hardware_interrupt: int
    software_interrupt: int
    steal: int = 0


def work_cpu(workload: str | None) -> Work:
    """What a process of this kind of work takes."""
    return _WORK.get(workload, _IDLE_GPU_USER)


def wanted_cpu(world: World, host: str) -> int:
    """CPU that people's and jobs' processes ask for, in permille of one; stopped ones ask for none."""
    return sum(process.cpu_permille for process in world.systems[host].processes if process.state[0] not in "TD")


def note_load(simulation: Simulation[World], host: str, since: int) -> None:
    """Remember that the CPU asked for changed at `since`, for the load averages to come."""
    systems = simulation.world.systems
    steps = [step for step in systems[host].runnable if step[0] < since]
    systems.update(host, runnable=(*steps[-_KEPT:], (since, wanted_cpu(simulation.world, host))))


def load_average(world: World, host: str, now: int) -> tuple[int, int, int]:
    """Load averages over 1, 5 and 15 minutes, in hundredths."""
    averages = [_average(world, host, now, minutes * MINUTE) for minutes in (1, 5, 15)]
    one, five, fifteen = (max(0, average) for average in averages)
    return one, five, fifteen


def cpu_use(world: World, host: str, now: int) -> CpuUse:
    """How all CPUs together spend their time now."""
    cpus = kernel_image.cpus(world.node(host))
    busy = min(990, (wanted_cpu(world, host) + _background(world, host)) // cpus)
    shaken = max(1, busy + Jitter(world.seed, f"{host}/cpu", max(1, busy // 25), 3 * SECOND).value(now))
    system = max(1, shaken // 6)
    user, soft = max(0, shaken - system), shaken // 120
    return CpuUse(user, system, 0, 1000 - user - system - soft, 0, 0, soft)


def memory(world: World, host: str) -> Memory:
    """How the memory of a host is used."""
    node = world.node(host)
    total = memory_kib(node.memory_bytes)[1]
    resident = sum(process.resident_kib for process in world.systems[host].processes)
    used = min(total * 97 // 100, _kept_by_system(total) + resident)
    share = 40 + hash64(world.seed, host, world.nodes[host].booted_at, "page cache") % 160
    cache = min((total - used) * 9 // 10, total * share // 1000)
    free = total - used - cache
    return Memory(total, used, free, 21_000 + resident // 40, cache, free + cache * 96 // 100)


def _kept_by_system(total: int) -> int:
    """Kernel, services and per-CPU memory: 2 GiB and 7 permille of the whole."""
    return 2 * GIB // KIB + total * 7 // 1000


def _background(world: World, host: str) -> int:
    """CPU that the system itself takes, in permille of one."""
    return 180 if world.node(host).gpus else 90


def _average(world: World, host: str, now: int, period: int) -> int:
    """Mean of the tasks that wanted to run, weighted by how long ago, in hundredths."""
    level = mean = _background(world, host) // 2
    since = world.nodes[host].booted_at
    for time, permille in world.systems[host].runnable:
        mean = _towards(mean, level, max(0, time - since), period)
        since, level = max(since, time), permille + _background(world, host) // 2
    mean = _towards(mean, level, now - since, period)
    return mean // 10 + Jitter(world.seed, f"{host}/load/{period}", mean // 10 // 30 + 2, 5 * SECOND).value(now)


def _towards(mean: int, level: int, elapsed: int, period: int) -> int:
    return level + (mean - level) * decay(elapsed, period) // _ONE

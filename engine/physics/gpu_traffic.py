"""What goes over a GPU's PCIe link and its NVLinks now, and what its memory draws: bytes per second, and mW.

PCIe: a small stream of the driver's own, the program's (data that it loads and writes), and what its rail's adapter
carries for a job on several nodes, which is read from and written to the GPU. NVLinks: what the kind of work exchanges
with the other GPUs of its node, for as long as NVSwitches route it; else that goes over PCIe, as far as it can.

Figures: an H100 that idles sends 352 and receives 329 KB/s, under gpu_burn 3.1 and 6.3 MB/s; its memory draws 43 W idle
and 86 W at 11 % of its time (captures, driver 590.48.01). All others are guesses: a training run loads 240 MB/s a GPU
and fills 12 % of its NVLinks over a step, collectives alone 80 %.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.shapes import Jitter
from engine.kernel.units import SECOND
from engine.physics import load
from engine.physics.paths import figures, nvlink, pcie
from engine.physics.traffic import counters
from engine.world.records import BusState
from engine.world.world import World

_KILO, _MEGA, _GIGA = 1_000, 1_000_000, 1_000_000_000
_OWN_SENT, _OWN_RECEIVED = 352 * _KILO, 329 * _KILO
_NOISE = 30  # permille
_MEMORY_IDLE, _MEMORY_PER_PERCENT, _MEMORY_MOST = 43_200, 3_900, 130_000


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a kind of work moves at full utilisation: MB/s over PCIe out and in, and permille of its NVLinks."""

    sent: int
    received: int
    nvlinks: int


_EXCHANGES: Mapping[str, Exchange] = MappingProxyType(
    {
        "training": Exchange(60, 240, 120),
        "inference": Exchange(25, 40, 15),
        "burn": Exchange(3, 6, 0),
        "hpl": Exchange(900, 1_100, 60),
        "nccl": Exchange(2, 2, 800),
        "memory": Exchange(1, 1, 0),
        "power": Exchange(3, 6, 0),
        "light": Exchange(5, 10, 0),
    }
)
_LITTLE = Exchange(1, 1, 0)
_OVER_RAILS = ("training", "nccl", "hpl")


@dataclass(frozen=True, slots=True)
class Rates:
    """Bytes per second over the PCIe link and over all NVLinks together, as the GPU sends and receives them."""

    pcie_sent: int = 0
    pcie_received: int = 0
    nvlink_sent: int = 0
    nvlink_received: int = 0


def rates(world: World, gpu_id: str, time: int) -> Rates:
    """The rates of a GPU around `time`; nothing of one that has gone."""
    if world.gpus[gpu_id].bus is not BusState.PRESENT:
        return Rates()
    kind, busy = _work(world, gpu_id)
    moved = _EXCHANGES.get(kind, _LITTLE)
    links = _nvlinks(world, gpu_id, moved.nvlinks) * busy // 100
    detour = 0 if links or not moved.nvlinks else _detour(world, gpu_id) * busy // 100
    out, into = _rail(world, gpu_id, time) if kind in _OVER_RAILS else (0, 0)
    limit = int(pcie.host_copy(world, gpu_id) * _GIGA)
    return Rates(
        min(_OWN_SENT + moved.sent * _MEGA * busy // 100 + out + detour, limit)
        * _shake(world, gpu_id, "tx", time)
        // 1000,
        min(_OWN_RECEIVED + moved.received * _MEGA * busy // 100 + into + detour, limit)
        * _shake(world, gpu_id, "rx", time)
        // 1000,
        links * _shake(world, gpu_id, "nvlink tx", time) // 1000,
        links * _shake(world, gpu_id, "nvlink rx", time) // 1000,
    )


def nvlink_share(kind: str) -> int:
    """Permille of its NVLinks that a kind of work fills at full utilisation."""
    return _EXCHANGES.get(kind, _LITTLE).nvlinks if kind else 0


def memory_power(world: World, gpu_id: str) -> int:
    """What the GPU's memory draws now, mW: part of the board's draw."""
    busy = load.gpu_load(world, gpu_id).memory_busy
    return min(_MEMORY_IDLE + _MEMORY_PER_PERCENT * busy, _MEMORY_MOST)


def _work(world: World, gpu_id: str) -> tuple[str, int]:
    """The kind of work that asks most of a GPU, and its utilisation in percent; nothing moves on one that hangs."""
    processes = load.gpu_processes(world, gpu_id)
    if not processes or world.gpus[gpu_id].hung:
        return "", 0
    main = max(processes, key=lambda process: load.profile(process.workload).power_permille)
    return main.workload or "", load.gpu_load(world, gpu_id).sm


def _nvlinks(world: World, gpu_id: str, permille: int) -> int:
    if not permille or not nvlink.routed(world, gpu_id):
        return 0
    known = figures.gpu_figures(world.inventory.gpu(gpu_id).product.name)
    return int(nvlink.raw(nvlink.working(world, gpu_id), known) * _GIGA) * permille // 1000


def _detour(world: World, gpu_id: str) -> int:
    """What goes over PCIe instead of over NVLinks that are not there: about half of what a copy reaches."""
    return int(pcie.host_copy(world, gpu_id) * _GIGA) // 2


def _rail(world: World, gpu_id: str, time: int) -> tuple[int, int]:
    """Bytes that the adapter beside a GPU has sent and received in the last second."""
    gpu = world.inventory.gpu(gpu_id)
    port, before = f"{gpu.node}/{gpu.rail}/1", max(0, time - SECOND)
    if not gpu.rail or port not in world.inventory.cables:
        return 0, 0
    return (
        counters.sent(world, port, time) - counters.sent(world, port, before),
        counters.received(world, port, time) - counters.received(world, port, before),
    )


def _shake(world: World, gpu_id: str, what: str, time: int) -> int:
    """Permille around 1000: no two samples are alike."""
    return 1000 + Jitter(world.seed, f"{gpu_id}/{what}", _NOISE, SECOND).value(time)

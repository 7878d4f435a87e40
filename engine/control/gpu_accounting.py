"""Accounting of a GPU (nvidia-smi -am): what the driver keeps of the compute processes that ended on it.

Utilisations are those of the GPU over the process's life, which is what NVML's accounting counts; the buffer holds 4000
processes and drops the oldest.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernel.simulation import Simulation
from engine.physics import thermal
from engine.physics.load import bound_gpus
from engine.world.records import AccountedProcess, GpuLoad, Process
from engine.world.world import World

BUFFER = 4000
"""Processes that are kept."""


def keep(simulation: Simulation[World], host: str, ended: Sequence[Process]) -> None:
    """Processes end now: note those that held a GPU whose accounting is on."""
    world = simulation.world
    for index, gpu in enumerate(bound_gpus(world, host)):
        here = [process for process in ended if index in process.gpus]
        if here and world.gpus[gpu.id].accounting:
            noted = tuple(account(world, gpu.id, process, simulation.now) for process in here)
            world.gpus.update(gpu.id, accounted=(*world.gpus[gpu.id].accounted, *noted)[-BUFFER:])


def account(world: World, gpu_id: str, process: Process, now: int) -> AccountedProcess:
    """What there is to tell of a process on a GPU until `now`."""
    loads = _loads(world, gpu_id, process.started, now)
    busy, memory = (_mean([(getattr(load, name), time) for load, time in loads]) for name in ("sm", "memory_busy"))
    return AccountedProcess(process.pid, busy, memory, process.gpu_memory, process.started, now)


def _loads(world: World, gpu_id: str, start: int, end: int) -> list[tuple[GpuLoad, int]]:
    """The loads of a GPU between two moments, and for how long each lasted (ns)."""
    regimes = thermal.history(world, gpu_id).regimes
    ends = (*(regime.since for regime in regimes[1:]), end)
    pairs = zip(regimes, ends, strict=True)
    return [(regime.load, max(0, min(until, end) - max(regime.since, start))) for regime, until in pairs]


def _mean(values: Sequence[tuple[int, int]]) -> int:
    total = sum(time for _, time in values)
    return sum(value * time for value, time in values) // total if total else 0

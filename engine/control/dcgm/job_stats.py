"""Statistics of GPUs over a span of time, as DCGM's job and process records give them: worked out from what the GPUs
did then, sampled every 30 s (the default interval) or, for a long span, at some hundred moments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engine.control import gpu_accounting
from engine.control.dcgm import host_engine
from engine.control.dcgm.readings import Reading, xids
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.kernel.units import MICROSECOND, SECOND
from engine.physics import thermal
from engine.physics.gpu_power import Reason
from engine.world.records import EndedProcess, Process, RecordedJob
from engine.world.world import World

INTERVAL = 30 * SECOND
_MOST_SAMPLES = 120


@dataclass(frozen=True, slots=True)
class Summary:
    """Average, highest and lowest of a reading."""

    average: float
    highest: float
    lowest: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What one GPU did in a span: energy in mJ, power in W, memory in bytes, clocks in MHz, utilisation in percent, ns
    that each reason held back the clocks.
    """

    energy: int
    power: Summary
    memory: int
    sm_clock: Summary
    memory_clock: Summary
    sm: Summary
    memory_busy: Summary
    xids: tuple[tuple[int, int], ...]
    power_violation: int
    thermal_violation: int


def usage(gpu: Reading, start: int, end: int) -> Usage:
    """What a GPU did between two moments."""
    world, name = gpu.world, gpu.gpu.id
    moments = _moments(start, end)

    def summary(read: Callable[[int], int], scale: int = 1) -> Summary:
        values = [read(moment) for moment in moments]
        return Summary(sum(values) / len(values) / scale, max(values) / scale, min(values) / scale)

    loads = [thermal.regime_at(world, name, moment).load for moment in moments]
    memory_clock = gpu.product.clock_memory
    return Usage(
        energy=thermal.energy(world, name, start, end),
        power=summary(lambda moment: thermal.power(world, name, moment), 1000),
        memory=max(load.memory_used for load in loads) << 20,
        sm_clock=summary(lambda moment: thermal.sm_clock(world, name, moment)),
        memory_clock=Summary(memory_clock, memory_clock, memory_clock),
        sm=summary(lambda moment: thermal.regime_at(world, name, moment).load.sm),
        memory_busy=summary(lambda moment: thermal.regime_at(world, name, moment).load.memory_busy),
        xids=tuple((time, number) for time, number in xids(world, gpu.gpu, start) if time <= end),
        power_violation=_held(gpu, start, end, Reason.SW_POWER_CAP),
        thermal_violation=_held(gpu, start, end, Reason.SW_THERMAL, Reason.HW_THERMAL),
    )


def _moments(start: int, end: int) -> list[int]:
    step = max(INTERVAL, (end - start) // _MOST_SAMPLES)
    # Samples are taken on DCGM's clock of microseconds.
    return [*range(start, max(start, end), step)] if end - start >= MICROSECOND else [start]


def _held(gpu: Reading, start: int, end: int, *reasons: int) -> int:
    return sum(gpu.held_back(each, end) - gpu.held_back(each, start) for each in reasons)


def together(usages: Sequence[Usage]) -> Usage:
    """The GPUs of a job as one: energies and events add up, readings are a mean with the extremes of all."""

    def joined(part: Callable[[Usage], Summary]) -> Summary:
        parts = [part(each) for each in usages]
        mean = sum(each.average for each in parts) / len(parts)
        return Summary(mean, max(each.highest for each in parts), min(each.lowest for each in parts))

    return Usage(
        energy=sum(each.energy for each in usages),
        power=joined(lambda each: each.power),
        memory=max(each.memory for each in usages),
        sm_clock=joined(lambda each: each.sm_clock),
        memory_clock=joined(lambda each: each.memory_clock),
        sm=joined(lambda each: each.sm),
        memory_busy=joined(lambda each: each.memory_busy),
        xids=tuple(sorted(seen for each in usages for seen in each.xids)),
        power_violation=sum(each.power_violation for each in usages) // len(usages),
        thermal_violation=sum(each.thermal_violation for each in usages) // len(usages),
    )


def job(world: World, host: str, name: str) -> RecordedJob | None:
    """The recorded job of that name."""
    return next((each for each in world.host_engines[host].jobs if each.name == name), None)


@dataclass(frozen=True, slots=True)
class WatchProcesses(Action):
    """Record statistics of processes from now on."""

    host: str

    def perform(self, simulation: Simulation[World]) -> None:
        if simulation.world.host_engines[self.host].process_watches is None:
            simulation.world.host_engines.update(self.host, process_watches=simulation.now)


@dataclass(frozen=True, slots=True)
class StartJob(Action):
    """Begin to record a job on GPUs. Gives whether its name was free."""

    host: str
    name: str
    gpus: tuple[int, ...]

    def perform(self, simulation: Simulation[World]) -> bool:
        kept = simulation.world.host_engines[self.host].jobs
        if job(simulation.world, self.host, self.name):
            return False
        jobs = (*kept, RecordedJob(self.name, self.gpus, simulation.now))
        simulation.world.host_engines.update(self.host, jobs=jobs)
        return True


@dataclass(frozen=True, slots=True)
class StopJob(Action):
    """End the recording of a job. Gives whether there was one."""

    host: str
    name: str

    def perform(self, simulation: Simulation[World]) -> bool:
        found = job(simulation.world, self.host, self.name)
        if found is None:
            return False
        ended = replace(found, stopped=simulation.now if found.stopped is None else found.stopped)
        kept = simulation.world.host_engines[self.host].jobs
        jobs = tuple(ended if each is found else each for each in kept)
        simulation.world.host_engines.update(self.host, jobs=jobs)
        return True


@dataclass(frozen=True, slots=True)
class RemoveJob(Action):
    """Forget a job ("": all). Gives whether there was one."""

    host: str
    name: str

    def perform(self, simulation: Simulation[World]) -> bool:
        kept = simulation.world.host_engines[self.host].jobs
        left = tuple(each for each in kept if self.name and each.name != self.name)
        simulation.world.host_engines.update(self.host, jobs=left)
        return not self.name or len(left) < len(kept)


def processes_on(gpu: Reading) -> list[int]:
    """Process ids on a GPU now."""
    return sorted(process.pid for process in gpu.processes)


def keep(simulation: Simulation[World], host: str, ended: Sequence[Process]) -> None:
    """Processes end now: note those on GPUs, as processes are watched. The oldest are dropped, as in the driver's
    buffer, which DCGM reads.
    """
    kept = simulation.world.host_engines[host].ended_processes
    noted = tuple(
        EndedProcess(process.pid, process.gpus, process.started, simulation.now) for process in ended if process.gpus
    )
    if noted:
        simulation.world.host_engines.update(host, ended_processes=(*kept, *noted)[-gpu_accounting.BUFFER :])


@dataclass(frozen=True, slots=True)
class Run:
    """A process on GPUs: their ids, when it began, and when it ended (None: it runs)."""

    gpus: tuple[int, ...]
    started: int
    ended: int | None


def run_of(world: World, host: str, pid: int) -> Run | None:
    """What is known of a process: one that runs on GPUs, or the latest of that id that ended while it was watched."""
    known = range(len(host_engine.gpus(world, host)))
    running = [Run(each.gpus, each.started, None) for each in world.systems[host].processes if each.pid == pid]
    ended = [
        Run(each.gpus, each.started, each.ended)
        for each in reversed(world.host_engines[host].ended_processes)
        if each.pid == pid
    ]
    for found in (*running, *ended):
        gpus = tuple(index for index in found.gpus if index in known)
        if gpus:
            return replace(found, gpus=gpus)
    return None

"""What the driver does about MIG: changing the mode, making and destroying instances.

Rules: NVIDIA's MIG user guide r580 and transcripts. A mode change on Ampere resets the GPU; Hopper and later change
without one. Where a client has the GPU open (a program, DCGM's host engine) the change stays pending until a reset.
An instance on which something runs cannot be destroyed, nor a GPU instance that has compute instances. Guess: switching
MIG off takes the instances with it, and persistence mode alone is no such client (captures show it on with MIG on).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.control import driver
from engine.control.gpu_settings import IN_USE, INVALID, NO_ROOM, NOT_FOUND, NOT_SUPPORTED, held_open
from engine.control.mig import placement
from engine.control.mig.devices import on_instance
from engine.control.mig.profiles import compute_profiles, profile, profiles
from engine.kernel.simulation import Simulation
from engine.physics.gpu_memory import after_reset
from engine.physics.load import gpu_processes
from engine.world.events import GpuReset, NvLinksChanged
from engine.world.inventory import Gpu
from engine.world.records import ComputeInstance, GpuInstance, MigState
from engine.world.world import World

__all__ = ["INVALID", "IN_USE", "NOT_FOUND", "NOT_SUPPORTED", "NO_ROOM"]

_RESETS_TO_CHANGE = "Ampere"


@dataclass(frozen=True, slots=True)
class SetMigMode(driver.GpuAction):
    """nvidia-smi -mig. Gives None when the mode is changed or was so, or the reason for which it only waits."""

    host: str
    index: int
    enabled: bool
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        world = simulation.world
        if not profiles(gpu.product):
            return NOT_SUPPORTED
        world.gpus.update(gpu.id, mig_pending=self.enabled)
        if world.gpus[gpu.id].mig_enabled == self.enabled:
            return None
        if held_open(world, gpu):
            return IN_USE
        world.mig.forget(gpu.id)
        world.gpus.update(gpu.id, mig_enabled=self.enabled)
        if gpu.product.architecture == _RESETS_TO_CHANGE:
            world.gpus.update(gpu.id, **after_reset(world.gpus[gpu.id]))
            simulation.publish(GpuReset(gpu.id))
        simulation.publish(NvLinksChanged(gpu.node))
        return None


@dataclass(frozen=True, slots=True)
class CreateGpuInstance(driver.GpuAction):
    """nvidia-smi mig -cgi, one instance: the id of its profile and perhaps the memory slice where it shall begin."""

    host: str
    index: int
    profile: int
    start: int | None
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        world, taken = simulation.world, simulation.world.mig[gpu.id].instances
        if not world.gpus[gpu.id].mig_enabled:
            return NOT_SUPPORTED
        kind = profile(gpu.product, self.profile)
        if self.start is not None and self.start not in kind.starts:
            return INVALID
        start = placement.find_start(gpu.product, taken, kind, self.start)
        if start is None:
            return NO_ROOM
        made = GpuInstance(placement.instance_id(kind, start), kind.id, start)
        _store(world, gpu, (*taken, made))
        return None


@dataclass(frozen=True, slots=True)
class DestroyGpuInstance(driver.GpuAction):
    """nvidia-smi mig -dgi, one instance by its id."""

    host: str
    index: int
    instance: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        found = find(simulation.world, gpu, self.instance)
        if found is None:
            return NOT_FOUND
        if found.compute:
            return IN_USE
        kept = (each for each in simulation.world.mig[gpu.id].instances if each.id != self.instance)
        _store(simulation.world, gpu, tuple(kept))
        return None


@dataclass(frozen=True, slots=True)
class CreateComputeInstance(driver.GpuAction):
    """nvidia-smi mig -cci, one instance: the id of its profile within the GPU instance."""

    host: str
    index: int
    instance: int
    profile: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        found = find(simulation.world, gpu, self.instance)
        if found is None:
            return NOT_FOUND
        within = profile(gpu.product, found.profile)
        kind = {each.id: each for each in compute_profiles(gpu.product, within)}[self.profile]
        start = placement.find_compute_start(gpu.product, found, within, kind)
        if start is None:
            return NO_ROOM
        used = {compute.id for compute in found.compute}
        number = next(number for number in range(len(used) + 1) if number not in used)
        made = (*found.compute, ComputeInstance(number, kind.id, start))
        _change(simulation.world, gpu, replace(found, compute=tuple(sorted(made, key=lambda each: each.id))))
        return None


@dataclass(frozen=True, slots=True)
class DestroyComputeInstance(driver.GpuAction):
    """nvidia-smi mig -dci, one instance by the ids of its GPU instance and its own."""

    host: str
    index: int
    instance: int
    compute: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        found = find(simulation.world, gpu, self.instance)
        mine = next((each for each in found.compute if each.id == self.compute), None) if found else None
        if found is None or mine is None:
            return NOT_FOUND
        if any(on_instance(process, found, mine) for process in gpu_processes(simulation.world, gpu.id)):
            return IN_USE
        _change(simulation.world, gpu, replace(found, compute=tuple(each for each in found.compute if each != mine)))
        return None


def find(world: World, gpu: Gpu, instance: int) -> GpuInstance | None:
    """The GPU instance with that id, or None."""
    return next((each for each in world.mig[gpu.id].instances if each.id == instance), None)


def _change(world: World, gpu: Gpu, changed: GpuInstance) -> None:
    kept = (changed if each.id == changed.id else each for each in world.mig[gpu.id].instances)
    _store(world, gpu, tuple(kept))


def _store(world: World, gpu: Gpu, instances: tuple[GpuInstance, ...]) -> None:
    if instances:
        world.mig[gpu.id] = MigState(tuple(sorted(instances, key=lambda each: each.id)))
    else:
        world.mig.forget(gpu.id)

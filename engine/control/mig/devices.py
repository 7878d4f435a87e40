"""MIG devices: what the driver shows of a GPU's instances to programs, and what is used of each.

Figures: captures of an H100 and an H200 under driver 590.48.01 (an instance of one, two or three slices holds 9, 17 or
26 MiB of its own, 22 where three slices are two devices; the GPU as a whole shows a MiB less for every second instance;
BAR1 of an instance is its share of what the GPU has left beside its memory); H100, A100 and A30 under 535 to 570: half
a MiB more than 12 for each slice, and BAR1 is a share of the whole. What four and seven slices hold under newer drivers
is a guess. A device's UUID follows from the GPU's and the ids of its instances, so one made again has the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.control.mig.placement import compute_kind
from engine.control.mig.profiles import MEMORY_SLICES, ComputeProfile, Profile, profile
from engine.control.modules import driver_version
from engine.physics.load import gpu_processes
from engine.world.inventory import Gpu, GpuProduct, stable_hexadecimal
from engine.world.records import ComputeInstance, GpuInstance, Process
from engine.world.world import World

_OWN_MEMORY: Mapping[int, int] = MappingProxyType({1: 9, 2: 17, 3: 26, 4: 34, 7: 60})
_LESS_IN_PARTS = 4
_OLD_HALVES_OF_A_SLICE = 25
_BAR1_OF_ITS_OWN = 513
SHARED_BAR1_FROM = 580


@dataclass(frozen=True)
class MigDevice:
    """A compute instance as programs see it. `number` counts a GPU's devices from 0."""

    world: World
    gpu: Gpu
    number: int
    instance: GpuInstance
    compute: ComputeInstance

    @property
    def profile(self) -> Profile:
        """Of its GPU instance."""
        return profile(self.gpu.product, self.instance.profile)

    @property
    def kind(self) -> ComputeProfile:
        """The profile of its compute instance."""
        return compute_kind(self.gpu.product, self.instance, self.compute)

    @property
    def name(self) -> str:
        """`1g.10gb`, or `1c.3g.40gb` for a part of an instance; the media extensions do not show."""
        return self.kind.name

    @property
    def uuid(self) -> str:
        digits = stable_hexadecimal(32, "mig", self.world.gpus[self.gpu.id].uuid, self.instance.id, self.compute.id)
        parts = (digits[:8], digits[8:12], "5" + digits[13:16], "8" + digits[17:20], digits[20:])
        return "MIG-" + "-".join(parts)

    @property
    def processes(self) -> tuple[Process, ...]:
        """What runs on it, by pid."""
        here = (self.instance.id, self.compute.id)
        found = (process for process in gpu_processes(self.world, self.gpu.id) if process.instance == here)
        return tuple(sorted(found, key=lambda process: process.pid))

    @property
    def first_of_instance(self) -> bool:
        """Whether it is the first device of its GPU instance."""
        return self.instance.compute[0] == self.compute

    @property
    def memory_used(self) -> int:
        """MiB in use on its GPU instance, which all its devices share."""
        return instance_memory(self.world, self.gpu, self.instance)

    def bar1_total(self, release: int) -> int:
        """MiB of BAR1 that its GPU instance has under a driver release."""
        product, size = self.gpu.product, self.profile.size
        if release < SHARED_BAR1_FROM:
            return product.bar1_total * size // MEMORY_SLICES - 1
        left = product.bar1_total - bar1_used(product) - _BAR1_OF_ITS_OWN
        return left * size // MEMORY_SLICES


def devices(world: World, gpu: Gpu) -> tuple[MigDevice, ...]:
    """The MIG devices of a GPU, in the driver's order."""
    pairs = [(instance, compute) for instance in world.mig[gpu.id].instances for compute in instance.compute]
    return tuple(MigDevice(world, gpu, number, *pair) for number, pair in enumerate(pairs))


def instance_memory(world: World, gpu: Gpu, instance: GpuInstance) -> int:
    """MiB in use on a GPU instance."""
    held = (process.gpu_memory for process in gpu_processes(world, gpu.id) if _on(process, instance))
    own = _own_halves(gpu.product, instance) // 2 if _is_old(world, gpu) else _own_memory(gpu.product, instance)
    return own + sum(held)


def own_memory(world: World, gpu: Gpu) -> int:
    """MiB that the instances of a GPU hold without any program, as the GPU as a whole shows it."""
    instances = world.mig[gpu.id].instances
    if _is_old(world, gpu):
        return sum(_own_halves(gpu.product, instance) for instance in instances) // 2
    return sum(_own_memory(gpu.product, instance) for instance in instances) - len(instances) // 2


def _own_memory(product: GpuProduct, instance: GpuInstance) -> int:
    return _OWN_MEMORY[profile(product, instance.profile).slices] - _LESS_IN_PARTS * (len(instance.compute) > 1)


def _own_halves(product: GpuProduct, instance: GpuInstance) -> int:
    """Halves of a MiB that an instance holds under older drivers."""
    return _OLD_HALVES_OF_A_SLICE * profile(product, instance.profile).slices


def _is_old(world: World, gpu: Gpu) -> bool:
    version = driver_version(world, gpu.node) or ""
    return version != "" and int(version.partition(".")[0]) < SHARED_BAR1_FROM


def bar1_used(product: GpuProduct) -> int:
    """MiB of BAR1 that a GPU in MIG mode uses (driver 580 and later): all of its memory is mapped."""
    return min(product.bar1_total, product.memory_total - product.memory_reserved + 1)


def on_instance(process: Process, instance: GpuInstance, compute: ComputeInstance | None = None) -> bool:
    """Whether a process runs on a GPU instance, or on that compute instance of it."""
    return _on(process, instance) and (compute is None or process.instance == (instance.id, compute.id))


def _on(process: Process, instance: GpuInstance) -> bool:
    return process.instance is not None and process.instance[0] == instance.id

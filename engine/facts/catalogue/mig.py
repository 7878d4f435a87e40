"""MIG: GPUs that are cut up, and their instances."""

from __future__ import annotations

from engine.control.mig.devices import devices
from engine.facts.fact import View, fact
from engine.facts.kinds import Gpu


@fact("gpu.mig_enabled")
def mig_enabled(view: View, gpu: Gpu) -> bool:
    """Whether the GPU is in MIG mode."""
    return view.world.gpus[gpu].mig_enabled


@fact("gpu.mig_pending")
def mig_pending(view: View, gpu: Gpu) -> bool:
    """Whether a reset would switch its MIG mode on or off."""
    state = view.world.gpus[gpu]
    return state.mig_pending != state.mig_enabled


@fact("gpu.mig_instances")
def mig_instances(view: View, gpu: Gpu) -> int:
    """How many GPU instances it is cut into."""
    return len(view.world.mig[gpu].instances)


@fact("gpu.mig_devices")
def mig_devices(view: View, gpu: Gpu) -> int:
    """How many MIG devices (compute instances) programs can use on it."""
    return len(devices(view.world, view.world.inventory.gpu(gpu)))


@fact("gpu.mig_devices_of")
def mig_devices_of(view: View, gpu: Gpu, profile: str) -> int:
    """How many of its MIG devices have this profile, by its name: 1g.10gb, 1c.3g.40gb, ..."""
    return sum(device.name == profile for device in devices(view.world, view.world.inventory.gpu(gpu)))

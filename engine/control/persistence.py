"""What a GPU forgets when nobody has it open and persistence mode is off.

The driver shuts such a GPU down; the next program that opens it starts it again, which takes a second or two
(nvidia-smi's commands wait for that), with all settings of the driver as they are at first: power limit, locked and
application clocks, compute mode, accounting. NVIDIA, driver persistence (deployment documentation) and nvidia-smi's
manual. What the board keeps (ECC, MIG on Ampere) stays.
"""

from __future__ import annotations

from typing import Any

from engine.control.gpu_settings import in_use
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.physics.load import bound_gpus
from engine.world.events import GpuSettingsChanged, ProcessesEnded, ServiceChanged
from engine.world.inventory import Gpu
from engine.world.records import GpuState
from engine.world.world import World


def forget(simulation: Simulation[World], host: str) -> None:
    """GPUs of a host that nobody has open lose their settings."""
    world, lost = simulation.world, False
    for gpu in bound_gpus(world, host):
        first = _first_settings(gpu)
        if not in_use(world, gpu) and not _has(world.gpus[gpu.id], first):
            world.gpus.update(gpu.id, **first)
            lost = True
    if lost:
        simulation.publish(GpuSettingsChanged(host))


def _first_settings(gpu: Gpu) -> dict[str, Any]:
    """What the driver sets when it brings a GPU up."""
    return {
        "power_limit": gpu.product.power_limit,
        "locked_clock": None,
        "locked_clock_minimum": None,
        "locked_memory": None,
        "application_clock": None,
        "compute_mode": "Default",
        "accounting": False,
        "timeslice": 0,
        "boost": 0,
    }


def _has(state: GpuState, settings: dict[str, Any]) -> bool:
    return all(getattr(state, name) == value for name, value in settings.items())


def _ended(simulation: Simulation[World], event: ProcessesEnded) -> None:
    forget(simulation, event.host)


def _changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    if not event.active:
        forget(simulation, event.host)


def _set(simulation: Simulation[World], event: GpuSettingsChanged) -> None:
    """nvidia-smi has set something, and ends: if it was the only one, that was for nothing."""
    forget(simulation, event.node)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (ProcessesEnded, _ended),
    (ServiceChanged, _changed),
    (GpuSettingsChanged, _set),
)

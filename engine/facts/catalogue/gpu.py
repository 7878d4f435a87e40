"""GPUs: on the bus, held by the driver, cool, fast, and the board that was there at the start."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from engine.control import driver, journald
from engine.control.history.incidents import crashes
from engine.facts.fact import View, fact
from engine.facts.kinds import Gpu, User
from engine.facts.values import Frequency, Memory, Power, Share, Temperature
from engine.physics import thermal
from engine.physics.gpu_power import Reason
from engine.physics.load import gpu_load
from engine.world import records

_REASONS = {
    "idle": Reason.IDLE,
    "power_cap": Reason.SW_POWER_CAP,
    "thermal": Reason.SW_THERMAL | Reason.HW_THERMAL,
    "software_thermal": Reason.SW_THERMAL,
    "hardware_thermal": Reason.HW_THERMAL,
    "power_brake": Reason.POWER_BRAKE,
}


@fact("gpu.present")
def present(view: View, gpu: Gpu) -> bool:
    """Whether the GPU answers on the PCIe bus of a node that has power."""
    return _powered(view, gpu) and view.world.gpus[gpu].bus is records.BusState.PRESENT


@fact("gpu.lost")
def lost(view: View, gpu: Gpu) -> bool:
    """Whether the driver holds a GPU that has stopped answering."""
    return _powered(view, gpu) and driver.is_lost(view.world, gpu)


@fact("gpu.hung")
def hung(view: View, gpu: Gpu) -> bool:
    """Whether it hangs: what runs on it never ends, and nobody reports it."""
    return _powered(view, gpu) and view.world.gpus[gpu].hung


@fact("gpu.visible")
def visible(view: View, gpu: Gpu) -> bool:
    """Whether nvidia-smi would list it: the driver holds it, it answers, and the driver's library fits."""
    node = gpu.partition("/")[0]
    working = driver.nvml(view.world, node).status is driver.NvmlStatus.OK
    return present(view, gpu) and working and view.world.gpus[gpu].bound


@fact("gpu.serial")
def serial(view: View, gpu: Gpu) -> str:
    """The serial number of the board that is in the socket."""
    return view.world.gpus[gpu].serial


@fact("gpu.uuid")
def uuid(view: View, gpu: Gpu) -> str:
    """The UUID of the board that is in the socket."""
    return view.world.gpus[gpu].uuid


@fact("gpu.replaced")
def replaced(view: View, gpu: Gpu) -> bool:
    """Whether another board is in the socket than at the site's start."""
    return view.world.gpus[gpu].serial != view.world.inventory.gpu(gpu).serial


@fact("gpu.temperature")
def temperature(view: View, gpu: Gpu) -> Temperature | None:
    """What the GPU's sensor shows; no answer from one that is off the bus."""
    return Temperature(thermal.temperature(view.world, gpu, view.now)) if present(view, gpu) else None


@fact("gpu.memory_temperature")
def memory_temperature(view: View, gpu: Gpu) -> Temperature | None:
    """What the sensor of the GPU's memory shows."""
    return Temperature(thermal.memory_temperature(view.world, gpu, view.now)) if present(view, gpu) else None


@fact("gpu.power")
def power(view: View, gpu: Gpu) -> Power | None:
    """What the GPU draws."""
    return Power(thermal.power(view.world, gpu, view.now)) if present(view, gpu) else None


@fact("gpu.power_limit")
def power_limit(view: View, gpu: Gpu) -> Power:
    """The power limit that is set."""
    return Power(view.world.gpus[gpu].power_limit)


@fact("gpu.clock_limit")
def clock_limit(view: View, gpu: Gpu) -> Frequency:
    """The highest clock of its multiprocessors that settings allow: the board's, unless somebody locked it lower."""
    highest = view.world.inventory.gpu(gpu).product.clock_graphics_max
    return Frequency(min(highest, view.world.gpus[gpu].locked_clock or highest))


@fact("gpu.sm_clock")
def sm_clock(view: View, gpu: Gpu) -> Frequency | None:
    """The clock of its multiprocessors."""
    return Frequency(thermal.sm_clock(view.world, gpu, view.now)) if present(view, gpu) else None


@fact("gpu.slowed")
def slowed(
    view: View,
    gpu: Gpu,
    reason: Literal["idle", "power_cap", "thermal", "software_thermal", "hardware_thermal", "power_brake"],
) -> bool:
    """Whether its clocks are held down for this reason (a clock event reason is active)."""
    return present(view, gpu) and bool(thermal.reasons(view.world, gpu) & _REASONS[reason])


@fact("gpu.busy")
def busy(view: View, gpu: Gpu) -> Share | None:
    """The share of time in which its multiprocessors work."""
    return Share(gpu_load(view.world, gpu).sm * 10) if present(view, gpu) else None


@fact("gpu.memory_used")
def memory_used(view: View, gpu: Gpu) -> Memory | None:
    """The memory that processes hold on it."""
    return Memory(gpu_load(view.world, gpu).memory_used) if present(view, gpu) else None


@fact("gpu.persistence")
def persistence(view: View, gpu: Gpu) -> bool:
    """Whether persistence mode is on."""
    return view.world.gpus[gpu].persistence


@fact("gpu.recovery")
def recovery(view: View, gpu: Gpu) -> str:
    """The recovery action that the driver asks for, in nvidia-smi's words: None, Reset, Reboot, ..."""
    return view.world.gpus[gpu].recovery.value


@fact("gpu.xid")
def xid(view: View, gpu: Gpu, number: int) -> bool:
    """Whether the kernel log has this Xid of the GPU since the site's start."""
    node = gpu.partition("/")[0]
    return _has_xid(view, gpu, number, view.world.logs[node].entries)


@fact("gpu.xid_logged")
def xid_logged(view: View, gpu: Gpu, number: int) -> bool:
    """Whether dmesg has this Xid of the GPU, from before the site's start too."""
    return _has_xid(view, gpu, number, journald.ring_buffer(view.world, gpu.partition("/")[0]))


@fact("gpu.crashed_job_of")
def crashed_job_of(view: View, gpu: Gpu, user: User) -> bool:
    """Whether a job of this user crashed on the GPU before the site's start (Xid 13 and 43, and FAILED in sacct)."""
    found = crashes(view.world, gpu.partition("/")[0])
    return any((crash.gpu.id, crash.job.user) == (gpu, user) for crash in found)


def _has_xid(view: View, gpu: str, number: int, entries: Iterable[records.LogEntry]) -> bool:
    slot = view.world.inventory.gpu(gpu).address.rpartition(".")[0]
    return any(entry.text.startswith(f"NVRM: Xid (PCI:{slot}): {number},") for entry in entries)


def _powered(view: View, gpu: Gpu) -> bool:
    return view.world.nodes[gpu.partition("/")[0]].power is records.Power.ON

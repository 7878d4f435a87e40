"""The NVIDIA driver of a host: whether its library can talk to the loaded module, which GPUs it holds, and what it
sets on them.

Law: the module in the kernel and the library on disk must be of one version; the module stays what it was when it was
loaded, the library is whatever package is installed. A GPU that answered when the module was loaded keeps its index
until the next load, also when it is lost later. Sources: osHandleGpuLost, gpuRefreshRecoveryAction and
krcErrorSetNotifier of the open kernel modules 590.48.01 (a lost GPU wants a reset; if CUDA work was on it, the loss
of UVM's channels makes all GPUs of the system want a reboot, which logs of 2025 and 2026 show as Xid 154 with several
bus ids); nvidia-smi refuses to reset a GPU `In use by another client`, and persistence mode counts as one
(NVIDIA/NVSentinel issue 1690).
"""

from __future__ import annotations

from enum import Enum

from engine.control import packages, processes, service_state
from engine.control.gpu_settings import (
    HOST_ENGINE,
    IN_USE,
    LOST,
    NOT_FOUND,
    OUT_OF_RANGE,
    ClearAccounting,
    ClearEccCounts,
    DrainGpu,
    GpuAction,
    LockClocks,
    LockMemoryClocks,
    ResetClocks,
    ResetGpu,
    ResetMemoryClocks,
    ResetNvLinkErrors,
    SetAccounting,
    SetApplicationClock,
    SetBoost,
    SetComputeMode,
    SetEcc,
    SetPersistence,
    SetPowerLimit,
    SetTimeslice,
    UndrainGpu,
    in_use,
    is_lost,
)
from engine.control.modules import driver_version
from engine.control.xid import (
    HAS_RECOVERY_ACTION,
    change_recovery,
    release,
    report_dead_at_probe,
    report_link_fault,
    report_loss,
    report_mismatch,
    switch_ports,
    xid,
)
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.physics import pcie
from engine.physics.gpu_memory import after_reset
from engine.physics.load import bound_gpus, gpu_processes
from engine.world.events import (
    GpuLoadChanged,
    GpuLost,
    GpuReset,
    ModuleChanged,
    NvSwitchLinkFault,
    ServiceChanged,
)
from engine.world.inventory import Gpu
from engine.world.records import BootPhase, BusState, Process, RecoveryAction
from engine.world.world import World

__all__ = [
    "HANDLERS",
    "HOST_ENGINE",
    "IN_USE",
    "LOST",
    "NOT_FOUND",
    "OUT_OF_RANGE",
    "ClearAccounting",
    "ClearEccCounts",
    "DrainGpu",
    "GpuAction",
    "LockClocks",
    "LockMemoryClocks",
    "NvmlState",
    "NvmlStatus",
    "OpenDriver",
    "ResetClocks",
    "ResetGpu",
    "ResetMemoryClocks",
    "ResetNvLinkErrors",
    "SetAccounting",
    "SetApplicationClock",
    "SetBoost",
    "SetComputeMode",
    "SetEcc",
    "SetPersistence",
    "SetPowerLimit",
    "SetTimeslice",
    "UndrainGpu",
    "attach",
    "bound_gpus",
    "compute_processes",
    "driver_version",
    "in_use",
    "is_lost",
    "nvml",
    "xid",
]

PERSISTENCE_DAEMON = "nvidia-persistenced"
_KEEP_MIG_MODE = ("Ampere",)
"""Architectures whose boards keep MIG mode when the driver is loaded again (MIG user guide)."""

_FAULTS_BEGIN, _FAULTS_SPREAD = 11 * SECOND, 900 * MILLISECOND


class NvmlStatus(Enum):
    """How the driver answers a program that opens its library."""

    OK = "ok"
    NOT_LOADED = "driver not loaded"
    NO_LIBRARY = "library not found"
    MISMATCH = "driver/library version mismatch"


@dataclass(frozen=True, slots=True)
class NvmlState:
    """The answer, and the versions behind it ("" where there is none)."""

    status: NvmlStatus
    kernel_version: str
    library_version: str


def nvml(world: World, host: str) -> NvmlState:
    """What a program gets that opens the driver's library on `host`."""
    kernel, library = driver_version(world, host) or "", packages.library_version(world, host) or ""
    if not library:
        status = NvmlStatus.NO_LIBRARY
    elif not kernel:
        status = NvmlStatus.NOT_LOADED
    else:
        status = NvmlStatus.OK if kernel == library else NvmlStatus.MISMATCH
    return NvmlState(status, kernel, library)


def compute_processes(world: World, gpu_id: str) -> list[tuple[Process, int]]:
    """The compute processes on a GPU, each with the MiB of GPU memory that it holds there."""
    return [(process, process.gpu_memory) for process in gpu_processes(world, gpu_id)]


def attach(simulation: Simulation[World], node: str) -> None:
    """The kernel module is loaded and takes the GPUs that answer; settings that live in the driver start afresh."""
    world = simulation.world
    persistence = _persistence_from_boot(world, node)
    reloaded = world.nodes[node].phase is BootPhase.RUNNING
    dead = []
    for gpu in world.node(node).gpus:
        state = world.gpus[gpu.id]
        if state.bus is BusState.LOST:
            dead.append(world.node(node).devices[gpu.address])
        world.gpus.update(
            gpu.id,
            bound=state.bus is BusState.PRESENT and not pcie.removed(world, node, gpu.address),
            persistence=persistence,
            compute_mode="Default",
            power_limit=gpu.product.power_limit,
            locked_clock=None,
            locked_clock_minimum=None,
            application_clock=None,
            ecc_enabled=state.ecc_pending,
            recovery=RecoveryAction.NONE,
            mig_enabled=state.mig_pending and gpu.product.architecture in _KEEP_MIG_MODE,
            mig_pending=state.mig_pending and gpu.product.architecture in _KEEP_MIG_MODE,
            accounting=False,
            accounted=(),
            locked_memory=None,
            timeslice=0,
            boost=0,
            **after_reset(state),
        )
        if reloaded:  # the module alone makes no marked row effective
            world.gpus.update(gpu.id, remap=state.remap)
        world.mig.forget(gpu.id)
    report_dead_at_probe(simulation, node, dead)
    for gpu in bound_gpus(world, node):
        simulation.publish(GpuReset(gpu.id))
    simulation.publish(GpuLoadChanged(node))


def let_go(simulation: Simulation[World], node: str) -> None:
    """No driver was loaded: nobody holds the GPUs."""
    world = simulation.world
    for gpu in bound_gpus(world, node):
        world.gpus.update(gpu.id, bound=False, persistence=False)
    simulation.publish(GpuLoadChanged(node))


def _persistence_from_boot(world: World, node: str) -> bool:
    """Whether a boot goes on to start the daemon that turns persistence mode on."""
    unit = service_state.find(world, node, PERSISTENCE_DAEMON)
    booting = world.nodes[node].phase is not BootPhase.RUNNING
    return booting and unit is not None and service_state.is_enabled(world, node, unit)


def _lost(simulation: Simulation[World], event: GpuLost) -> None:
    """The driver notices that a GPU is gone; what was on it ends, and the NVSwitches notice some seconds later."""
    world = simulation.world
    gpu = world.inventory.gpu(event.gpu)
    if driver_version(world, gpu.node) is None or not world.gpus[gpu.id].bound or not _running(world, gpu.node):
        return
    holders = gpu_processes(world, gpu.id)
    report_loss(simulation, gpu, holders)
    everywhere = holders and release(driver_version(world, gpu.node) or "") >= HAS_RECOVERY_ACTION
    for other in bound_gpus(world, gpu.node) if everywhere else [gpu]:
        change_recovery(simulation, other.id, RecoveryAction.REBOOT if everywhere else RecoveryAction.RESET)
    processes.end(simulation, gpu.node, [process.pid for process in holders], "gpu_lost")
    _expect_link_faults(simulation, gpu)


def _running(world: World, node: str) -> bool:
    return world.nodes[node].phase in (BootPhase.KERNEL, BootPhase.SERVICES, BootPhase.RUNNING)


def _expect_link_faults(simulation: Simulation[World], gpu: Gpu) -> None:
    node, boots = simulation.world.node(gpu.node), simulation.world.nodes[gpu.node].boots
    chance = simulation.stream(f"nvlink/{gpu.id}/{simulation.now}")
    for switch, link in chance.shuffled(list(switch_ports(node, gpu.product, gpu.module))):
        delay = _FAULTS_BEGIN + chance.integer(0, _FAULTS_SPREAD)
        simulation.schedule(NvSwitchLinkFault(gpu.node, switch, link, boots), delay)


def _link_fault(simulation: Simulation[World], event: NvSwitchLinkFault) -> None:
    world = simulation.world
    loaded = driver_version(world, event.node) is not None
    if loaded and world.nodes[event.node].boots == event.boots and _running(world, event.node):
        report_link_fault(simulation, world.node(event.node), event.switch, event.link)


def _module_changed(simulation: Simulation[World], event: ModuleChanged) -> None:
    """Somebody loaded the module on a running system; a boot attaches the driver itself."""
    world = simulation.world
    if event.module == "nvidia" and event.loaded and world.nodes[event.host].phase is BootPhase.RUNNING:
        attach(simulation, event.host)


def _service_changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    """The persistence daemon keeps persistence mode on as long as it runs."""
    if (
        event.unit.removesuffix(".service") != PERSISTENCE_DAEMON
        or nvml(simulation.world, event.host).status is not NvmlStatus.OK
    ):
        return
    for gpu in bound_gpus(simulation.world, event.host):
        simulation.world.gpus.update(gpu.id, persistence=event.active)


@dataclass(frozen=True, slots=True)
class OpenDriver(Action):
    """A program opens the driver. If its library does not fit the module, the kernel log says so. Gives the state
    that it met.
    """

    host: str
    client: str
    pid: int

    def perform(self, simulation: Simulation[World]) -> NvmlState:
        state = nvml(simulation.world, self.host)
        if state.status is NvmlStatus.MISMATCH:
            report_mismatch(simulation, self.host, self.client, self.pid, state.library_version)
        return state


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (GpuLost, _lost),
    (NvSwitchLinkFault, _link_fault),
    (ModuleChanged, _module_changed),
    (ServiceChanged, _service_changed),
)

"""What people set on GPUs through the driver, and resetting one: each an action on a GPU by nvidia-smi's index.

Sources: transcripts of nvidia-smi (see engine/commands/gpu); nvidia-smi refuses to reset a GPU `In use by another
client`, and persistence mode counts as one (NVIDIA/NVSentinel issue 1690). Settings made here end with the module,
except those that the board keeps (ECC mode, MIG mode before Hopper).
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from engine.control.dcgm import daemon
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.physics import pcie
from engine.physics.gpu_memory import after_reset
from engine.physics.load import bound_gpus, gpu_processes
from engine.world.events import GpuReset, GpuSettingsChanged, NvLinksChanged
from engine.world.inventory import Gpu
from engine.world.records import BusState, EccCounts, RecoveryAction
from engine.world.world import World

HOST_ENGINE = daemon.UNIT.removesuffix(".service")

IN_USE = "In use by another client"
LOST = "GPU is lost"
NOT_FOUND = "Not Found"
NOT_SUPPORTED = "Not Supported"
OUT_OF_RANGE = INVALID = "Invalid Argument"
NO_ROOM = "Insufficient Resources"


def is_lost(world: World, gpu_id: str) -> bool:
    """Whether a GPU that the driver holds has stopped answering."""
    state = world.gpus[gpu_id]
    return state.bound and state.bus is not BusState.PRESENT


def held_open(world: World, gpu: Gpu) -> bool:
    """Whether a program has a GPU open: one that computes, or DCGM's host engine."""
    return bool(gpu_processes(world, gpu.id)) or daemon.is_running(world, gpu.node)


def in_use(world: World, gpu: Gpu) -> bool:
    """Whether anybody has a GPU open: a program, or persistence mode."""
    return world.gpus[gpu.id].persistence or held_open(world, gpu)


def let_go(world: World, gpu: Gpu) -> None:
    """The driver no longer holds a GPU, which nobody has open. Those behind it move up; programs name GPUs by
    nvidia-smi's index, so theirs are counted anew.
    """
    place = [each.id for each in bound_gpus(world, gpu.node)].index(gpu.id)
    world.gpus.update(gpu.id, bound=False)
    moved = tuple(
        replace(process, gpus=tuple(index - (index > place) for index in process.gpus))
        for process in world.systems[gpu.node].processes
    )
    world.systems.update(gpu.node, processes=moved)


class GpuAction(Action):
    """An action on a GPU by nvidia-smi's index. Gives the reason for which the driver refuses it, or None."""

    __slots__ = ()
    needs_answer: ClassVar[bool] = True
    """Whether it is refused where the GPU is lost."""
    host: str
    index: int

    def perform(self, simulation: Simulation[World]) -> str | None:
        gpus = bound_gpus(simulation.world, self.host)
        if not 0 <= self.index < len(gpus):
            return NOT_FOUND
        if self.needs_answer and is_lost(simulation.world, gpus[self.index].id):
            return LOST
        refusal = self.on(simulation, gpus[self.index])
        if refusal is None:
            simulation.publish(GpuSettingsChanged(self.host))
        return refusal

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        """Do it to `gpu`."""
        raise TypeError(f"{type(self).__name__} does not say what it does")


@dataclass(frozen=True, slots=True)
class ResetGpu(GpuAction):
    """Reset a GPU: refused while anybody has it open. Pending row remappings and modes take effect, volatile counters
    start at zero, MIG instances are gone.
    """

    host: str
    index: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        world = simulation.world
        if in_use(world, gpu):
            return IN_USE
        state = world.gpus[gpu.id]
        wanted = state.recovery if state.recovery is RecoveryAction.REBOOT else RecoveryAction.NONE
        world.gpus.update(
            gpu.id,
            recovery=wanted,
            ecc_enabled=state.ecc_pending,
            mig_enabled=state.mig_pending,
            **after_reset(state),
        )
        world.mig.forget(gpu.id)
        simulation.publish(GpuReset(gpu.id))
        if state.mig_enabled != state.mig_pending:
            simulation.publish(NvLinksChanged(gpu.node))
        return None


@dataclass(frozen=True, slots=True)
class SetPersistence(GpuAction):
    """nvidia-smi -pm."""

    host: str
    index: int
    enabled: bool
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.gpus.update(gpu.id, persistence=self.enabled)
        return None


@dataclass(frozen=True, slots=True)
class SetPowerLimit(GpuAction):
    """nvidia-smi -pl, in mW; refused outside what the board allows."""

    host: str
    index: int
    milliwatts: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        if not gpu.product.power_limit_min <= self.milliwatts <= gpu.product.power_limit:
            return OUT_OF_RANGE
        simulation.world.gpus.update(gpu.id, power_limit=self.milliwatts)
        return None


@dataclass(frozen=True, slots=True)
class LockClocks(GpuAction):
    """nvidia-smi -lgc: keep the SM clock (MHz) between two values, which are moved into what the board can do."""

    host: str
    index: int
    minimum: int
    maximum: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        if self.minimum > self.maximum:
            return OUT_OF_RANGE
        lowest, highest = gpu.product.clock_graphics_min, gpu.product.clock_graphics_max
        minimum, maximum = (min(max(clock, lowest), highest) for clock in (self.minimum, self.maximum))
        simulation.world.gpus.update(gpu.id, locked_clock=maximum, locked_clock_minimum=minimum)
        return None


@dataclass(frozen=True, slots=True)
class ResetClocks(GpuAction):
    """nvidia-smi -rgc."""

    host: str
    index: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.gpus.update(gpu.id, locked_clock=None, locked_clock_minimum=None)
        return None


@dataclass(frozen=True, slots=True)
class SetComputeMode(GpuAction):
    """nvidia-smi -c: Default, Exclusive_Process or Prohibited."""

    host: str
    index: int
    mode: str
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.gpus.update(gpu.id, compute_mode=self.mode)
        return None


@dataclass(frozen=True, slots=True)
class SetEcc(GpuAction):
    """nvidia-smi -e: takes effect with the next reset or load of the driver."""

    host: str
    index: int
    enabled: bool
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.gpus.update(gpu.id, ecc_pending=self.enabled)
        return None


@dataclass(frozen=True, slots=True)
class LockMemoryClocks(GpuAction):
    """nvidia-smi -lmc: keep the memory clock (MHz) between two values, which are moved into what the board can do."""

    host: str
    index: int
    minimum: int
    maximum: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        if self.minimum > self.maximum:
            return OUT_OF_RANGE
        simulation.world.gpus.update(gpu.id, locked_memory=(self.minimum, self.maximum))
        return None


@dataclass(frozen=True, slots=True)
class ResetMemoryClocks(GpuAction):
    """nvidia-smi -rmc."""

    host: str
    index: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.gpus.update(gpu.id, locked_memory=None)
        return None


@dataclass(frozen=True, slots=True)
class SetApplicationClock(GpuAction):
    """nvidia-smi -ac (and -rac, with None): the highest graphics clock (MHz) while something runs."""

    host: str
    index: int
    megahertz: int | None
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.gpus.update(gpu.id, application_clock=self.megahertz)
        return None


@dataclass(frozen=True, slots=True)
class ClearEccCounts(GpuAction):
    """nvidia-smi -p: set the volatile or the aggregate ECC counts to zero."""

    host: str
    index: int
    aggregate: bool
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.gpus.update(gpu.id, **{"aggregate" if self.aggregate else "volatile": EccCounts()})
        return None


@dataclass(frozen=True, slots=True)
class SetAccounting(GpuAction):
    """nvidia-smi -am: keep statistics of processes that end. Switching it off or on forgets what was kept."""

    host: str
    index: int
    enabled: bool
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.gpus.update(gpu.id, accounting=self.enabled, accounted=())
        return None


@dataclass(frozen=True, slots=True)
class ClearAccounting(GpuAction):
    """nvidia-smi -caa."""

    host: str
    index: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.gpus.update(gpu.id, accounted=())
        return None


@dataclass(frozen=True, slots=True)
class SetTimeslice(GpuAction):
    """nvidia-smi compute-policy --set-timeslice: 0 default, 1 short, 2 medium, 3 long."""

    host: str
    index: int
    timeslice: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.gpus.update(gpu.id, timeslice=self.timeslice)
        return None


@dataclass(frozen=True, slots=True)
class SetBoost(GpuAction):
    """nvidia-smi boost-slider --vboost: the position of the video boost slider."""

    host: str
    index: int
    position: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.gpus.update(gpu.id, boost=self.position)
        return None


@dataclass(frozen=True, slots=True)
class ResetNvLinkErrors(GpuAction):
    """nvidia-smi nvlink -re: set the error counters of all NVLinks of a GPU to zero."""

    host: str
    index: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        simulation.world.nvlinks.update(gpu.id, errors=())
        return None


@dataclass(frozen=True, slots=True)
class DrainGpu(GpuAction):
    """nvidia-smi drain -m 1: the driver lets go of a GPU that nobody has open, or that is lost.

    Those behind it move up. Programs name GPUs by nvidia-smi's index, so theirs are counted anew.
    """

    needs_answer: ClassVar[bool] = False
    host: str
    index: int
    by: str

    def on(self, simulation: Simulation[World], gpu: Gpu) -> str | None:
        world = simulation.world
        if not is_lost(world, gpu.id) and in_use(world, gpu):
            return IN_USE
        let_go(world, gpu)
        return None


@dataclass(frozen=True, slots=True)
class UndrainGpu(Action):
    """nvidia-smi drain -m 0: the driver takes a GPU back that answers. Gives the reason if it does not, or None."""

    host: str
    gpu: str
    by: str

    def perform(self, simulation: Simulation[World]) -> str | None:
        world, state = simulation.world, simulation.world.gpus[self.gpu]
        listed = not pcie.removed(world, self.host, world.inventory.gpu(self.gpu).address)
        if state.bound or state.bus is not BusState.PRESENT or not listed:
            return None if state.bound else NOT_FOUND
        world.gpus.update(self.gpu, bound=True, persistence=False)
        place = [gpu.id for gpu in bound_gpus(world, self.host)].index(self.gpu)
        moved = tuple(
            replace(process, gpus=tuple(index + (index >= place) for index in process.gpus))
            for process in world.systems[self.host].processes
        )
        world.systems.update(self.host, processes=moved)
        simulation.publish(GpuSettingsChanged(self.host))
        return None

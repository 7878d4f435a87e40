"""What the host engine reads of one GPU at one moment: through the driver's library, from the kernel log, from the
profiling counters. Nothing is read of a GPU that has stopped answering.

Figures are those that nvidia-smi shows (engine.control.gpu_readings). Profiling: how busy parts of the GPU are is
worked out from the kinds of work on it; the shares of a kind of work (`_SHARES`) are guesses after published DCGM
readings of such work (training in BF16: tensor pipes 40 to 50 %; gpu_burn in FP32: FP32 pipe near its peak).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from engine.control import journald
from engine.control.dcgm import host_engine
from engine.control.gpu_readings import GpuReadings
from engine.kernel.units import SECOND
from engine.physics import load, thermal
from engine.world.inventory import Gpu
from engine.world.records import EccCounts, HostEngine, Process
from engine.world.world import World

_XID = re.compile(r"NVRM: Xid \(PCI:(?P<slot>[0-9a-f:]+)\): (?P<number>\d+),")
_PERCENT = 100


@dataclass(frozen=True, slots=True)
class Shares:
    """How busy parts of a GPU are with a kind of work, in permille of the time that its SMs are: SMs with a warp,
    warps of those that fit, and the tensor, FP64, FP32 and FP16 pipes.
    """

    active: int
    occupancy: int
    tensor: int
    double: int
    single: int
    half: int


_SHARES: Mapping[str, Shares] = MappingProxyType(
    {
        "training": Shares(860, 240, 440, 0, 70, 20),
        "inference": Shares(700, 260, 210, 0, 60, 30),
        "burn": Shares(990, 310, 0, 0, 880, 0),
        "hpl": Shares(960, 190, 830, 30, 10, 0),
        "power": Shares(990, 280, 690, 260, 20, 10),
        "nccl": Shares(180, 60, 0, 0, 10, 5),
        "memory": Shares(980, 870, 0, 0, 40, 0),
        "copies": Shares(60, 20, 0, 0, 0, 0),
        "light": Shares(400, 120, 20, 0, 40, 0),
    }
)
_SPINNING = Shares(30, 15, 0, 0, 0, 0)


def xids(world: World, gpu: Gpu, since: int) -> list[tuple[int, int]]:
    """(time, number) of every Xid of a GPU in the kernel log from `since` on."""
    slot = gpu.address.rpartition(".")[0]
    found = []
    for entry in journald.ring_buffer(world, gpu.node):
        match = _XID.match(entry.text) if entry.time >= since else None
        if match and match["slot"] == slot:
            found.append((entry.time, int(match["number"])))
    return found


@dataclass(frozen=True)
class Reading(GpuReadings):
    """A GPU under DCGM's GPU id at simulated time `now`."""

    @cached_property
    def engine(self) -> HostEngine:
        return self.world.host_engines[self.gpu.node]

    @cached_property
    def processes(self) -> list[Process]:
        return load.gpu_processes(self.world, self.gpu.id)

    @property
    def power_instant(self) -> int:
        """The last reading, mW."""
        return self.power_at(self.now)

    @property
    def energy(self) -> int:
        """Since the node's boot, mJ."""
        return thermal.energy(self.world, self.gpu.id, self.world.nodes[self.gpu.node].booted_at, self.now)

    @property
    def framebuffer_free(self) -> int:
        """MiB."""
        return self.product.memory_total - self.product.memory_reserved - self.load.memory_used + 1

    @property
    def last_xid(self) -> int:
        """The last Xid since the host engine started; 0 for none."""
        seen = xids(self.world, self.gpu, host_engine.started(self.world, self.gpu.node))
        return seen[-1][1] if seen else 0

    def ecc(self, scope: str) -> EccCounts:
        """Counts of one scope: volatile or aggregate."""
        return self.state.volatile if scope == "volatile" else self.state.aggregate

    def busy(self, part: str) -> float | None:
        """Share of the time that a part of the GPU (a field of Shares) was busy; None while profiling is paused or not
        loaded.
        """
        if self.engine.profiling_paused or not profiles(self.world, self.gpu.node):
            return None
        if self.index in self.engine.profiling_broken:
            return 0.0
        permille: int = getattr(self._shares, part)
        return permille * self.load.sm / (1000 * _PERCENT)

    def share_of(self, percent: int) -> float | None:
        """A utilisation as a share that the profiling counters give."""
        if self.busy("active") is None:
            return None
        return 0.0 if self.index in self.engine.profiling_broken else percent / _PERCENT

    @property
    def _shares(self) -> Shares:
        """Those of the process that asks most of the GPU."""
        if self.state.hung or not self.processes:
            return _SPINNING
        main = max(self.processes, key=lambda process: load.profile(process.workload).power_permille)
        return _SHARES.get(main.workload or "", _SPINNING)


def profiles(world: World, host: str) -> bool:
    """Whether the profiling module serves this node's GPUs, and no profiler has their counters."""
    from engine.control.dcgm import modules, profilers

    loaded = modules.state(world, host, modules.PROFILING) is modules.State.LOADED
    return loaded and profilers.holder(world, host) is None


def read(world: World, host: str, now: int) -> list[Reading]:
    """Every GPU of the host engine."""
    return [Reading(world, gpu, index, now) for index, gpu in enumerate(host_engine.gpus(world, host))]


LAST_MINUTE = 60 * SECOND

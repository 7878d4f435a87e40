"""What happens in a world: the vocabulary in which floors tell each other. Published at once or scheduled (those that
say so).
"""

from __future__ import annotations

from engine.kernel.events import Event
from engine.kernel.quick_dataclass import dataclass
from engine.world.link_events import (
    CableFlaps,
    HungUp,
    LinkChanged,
    LinkRateChanged,
    ManagerCrashes,
    ManagerPollDue,
    ModuleHeats,
    PlugChanged,
    SignalChanged,
    SubnetSweepDue,
    SubnetSwept,
)
from engine.world.platform_events import (
    BiosClockDue,
    InletDue,
    LeakAlarm,
    PowerInputChanged,
    PowerRestoreDue,
    SensorCheckDue,
)

# What is given on beside the events of this module.
__all__ = [
    "BiosClockDue",
    "CableFlaps",
    "HungUp",
    "InletDue",
    "LeakAlarm",
    "LinkChanged",
    "LinkRateChanged",
    "ManagerCrashes",
    "ManagerPollDue",
    "ModuleHeats",
    "PlugChanged",
    "PowerInputChanged",
    "PowerRestoreDue",
    "SensorCheckDue",
    "SignalChanged",
    "SubnetSweepDue",
    "SubnetSwept",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class GpuLoadChanged(Event):
    """The work on a node's GPUs is no longer what it was."""

    node: str


@dataclass(frozen=True, slots=True)
class GpuSettingsChanged(Event):
    """Somebody has set power limits, clocks or modes of a node's GPUs."""

    node: str


@dataclass(frozen=True, slots=True)
class AirChanged(Event):
    """A node's inlet temperature, fans, filter or fan duty changed."""

    node: str


@dataclass(frozen=True, slots=True)
class ThermalRegimeDue(Event):
    """Scheduled: a GPU reaches a temperature at which its clocks change, unless its regime changed since."""

    gpu: str
    since: int


@dataclass(frozen=True, slots=True)
class GpuLost(Event):
    """A GPU that was enumerated stopped answering on the bus."""

    gpu: str


@dataclass(frozen=True, slots=True)
class BusDefectStrikes(Event):
    """Scheduled: a defective GPU is about to drop off the bus.

    Unless it has been replaced (`serial` is the board meant) or started cold once more since (`cold_starts`).
    """

    gpu: str
    serial: str
    cold_starts: int = 0


@dataclass(frozen=True, slots=True)
class NodeStopping(Event):
    """A node's operating system goes down: `cause` is reboot, power_off, power_cycle, crash."""

    node: str
    cause: str
    graceful: bool


@dataclass(frozen=True, slots=True)
class NodePowered(Event):
    """Chassis power came or went."""

    node: str
    on: bool


@dataclass(frozen=True, slots=True)
class BootStep(Event):
    """Scheduled: the next phase of a boot, unless another one began since (`boots`)."""

    node: str
    phase: str
    boots: int


@dataclass(frozen=True, slots=True)
class NodeUp(Event):
    """A node has finished booting: its services run."""

    node: str


@dataclass(frozen=True, slots=True)
class ServiceChanged(Event):
    """A systemd unit started, stopped or failed."""

    host: str
    unit: str
    active: bool


@dataclass(frozen=True, slots=True)
class HostClockStepped(Event):
    """The clock of a host was set."""

    host: str


@dataclass(frozen=True, slots=True)
class ModuleChanged(Event):
    """A kernel module was loaded or unloaded."""

    host: str
    module: str
    loaded: bool


@dataclass(frozen=True, slots=True)
class ProcessesEnded(Event):
    """Processes of a host ended: pids, and why (exit, killed by `signal`, gpu_lost, gpu_error, node_down); `jobs`
    are the Slurm jobs that they belonged to.
    """

    host: str
    pids: tuple[int, ...]
    why: str
    jobs: tuple[int, ...] = ()
    signal: int = 9


@dataclass(frozen=True, slots=True)
class FileWritten(Event):
    """Somebody changed a file of a host; `path` is absolute. Control software that reads it may want to know."""

    host: str
    path: str


@dataclass(frozen=True, slots=True)
class PcieLinkChanged(Event):
    """The PCIe link above a function runs at another speed or width."""

    node: str
    address: str


@dataclass(frozen=True, slots=True)
class NvLinksChanged(Event):
    """NVLinks of a node's GPUs came or went, or its NVSwitches were programmed differently."""

    node: str


@dataclass(frozen=True, slots=True)
class TrafficChanged(Event):
    """Bundles of these owners get another share of what they ask for than before."""

    owners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JobEnds(Event):
    """Scheduled: a Slurm job's work is done or its time is over."""

    job: int
    started: int


@dataclass(frozen=True, slots=True)
class JobLaunched(Event):
    """The processes of a Slurm batch job have been started on its nodes."""

    job: int


@dataclass(frozen=True, slots=True)
class JobRunOver(Event):
    """A run of a Slurm job is over, with its state in the job; its processes are still there, and end next."""

    job: int


@dataclass(frozen=True, slots=True)
class SchedulerDue(Event):
    """Scheduled: slurmctld looks at its queue."""


@dataclass(frozen=True, slots=True)
class HandsDone(Event):
    """Scheduled: work ordered in the machine room is finished."""

    number: int


@dataclass(frozen=True, slots=True)
class FaultOnset(Event):
    """Scheduled: a fault that was announced for later begins."""

    fault: str
    target: str
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ServiceRestartDue(Event):
    """Scheduled: systemd starts a unit again after its main process died (`since`: when it died)."""

    host: str
    unit: str
    since: int


@dataclass(frozen=True, slots=True)
class JobCleanedUp(Event):
    """Scheduled: the nodes of an ended Slurm job have finished with it (`ended` tells which of its runs)."""

    job: int
    ended: int


@dataclass(frozen=True, slots=True)
class NodeSilent(Event):
    """Scheduled: slurmctld notices that a node's slurmd has not answered since `since`: `step` is pinged, then
    timed_out.
    """

    node: str
    since: int
    step: str


@dataclass(frozen=True, slots=True)
class NvSwitchLinkFault(Event):
    """Scheduled: an NVSwitch port notices that the GPU at its other end has gone, unless the node restarted since
    (`boots`).
    """

    node: str
    switch: int
    link: int
    boots: int


@dataclass(frozen=True, slots=True)
class HandsBegin(Event):
    """Scheduled: somebody begins with work ordered in the machine room."""

    number: int


@dataclass(frozen=True, slots=True)
class ProcessesHeld(Event):
    """Processes of a host were stopped by a signal, or go on; `jobs` are the Slurm jobs that they belong to."""

    host: str
    pids: tuple[int, ...]
    jobs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TrainingGivesUp(Event):
    """Scheduled: the ranks of a training job that stands still since `since` give up, unless it went on."""

    job: int
    since: int


@dataclass(frozen=True, slots=True)
class BoardDefectStrikes(Event):
    """Scheduled: a defect of a GPU's board is about to show for the next time after `strikes`, unless the board was
    replaced (`serial` is the one meant).
    """

    gpu: str
    serial: str
    kind: str
    place: int
    strikes: int


@dataclass(frozen=True, slots=True)
class BoardDefectStruck(Event):
    """A defect of a GPU's board shows now: `kind` and `place` tell which (engine.physics.board_defects)."""

    gpu: str
    kind: str
    place: int


@dataclass(frozen=True, slots=True)
class GpuMemoryError(Event):
    """A GPU's memory lost data that its correction could not mend: in `part` dram or sram, at physical `address` or
    none, `contained` if no other data can be wrong. `remap` is what became of the row: marked, bank_full, table_full,
    remapped_row, or "".
    """

    gpu: str
    part: str
    address: int
    contained: bool
    remap: str = ""


@dataclass(frozen=True, slots=True)
class NvLinkFailed(Event):
    """An NVLink of a GPU is gone: `how` is fatal (it was at work), training (it did not come up) or switch (its
    NVSwitch failed).
    """

    gpu: str
    link: int
    how: str


@dataclass(frozen=True, slots=True)
class ProgramCrashes(Event):
    """Scheduled: a program crashes on a GPU by its own mistake, of a kind that an Xid tells, and is started again.

    It does so every `every` ns, `left` times more (None: for good); `user` and `command` are whose and which.
    """

    gpu: str
    xid: int
    user: str
    command: str
    every: int
    count: int
    left: int | None = None


@dataclass(frozen=True, slots=True)
class GpuReset(Event):
    """A GPU has been reset: by hand, by a start of its node, or as the driver took it anew (`gpu` is its slot)."""

    gpu: str


@dataclass(frozen=True, slots=True)
class GspCallDue(Event):
    """Scheduled: a call to a GPU's firmware has waited for as long as the driver lets it; it was made by the process
    `pid` with that name, the `count`th in vain since the firmware stalled.
    """

    gpu: str
    serial: str
    pid: int
    process: str
    count: int


@dataclass(frozen=True, slots=True)
class ContextTimesOut(Event):
    """Scheduled: the channel of process `pid` on a GPU does not switch; `stuck` says whether the GPU stays so."""

    gpu: str
    pid: int
    stuck: bool

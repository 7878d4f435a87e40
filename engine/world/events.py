"""What happens in a world: the vocabulary in which floors tell each other. Published at once or scheduled (those that
say so).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.kernel.events import Event


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
class ModuleChanged(Event):
    """A kernel module was loaded or unloaded."""

    host: str
    module: str
    loaded: bool


@dataclass(frozen=True, slots=True)
class ProcessesEnded(Event):
    """Processes of a host ended: pids, and why (exit, killed, gpu_lost, node_down); `jobs` are the Slurm jobs that they
    belonged to.
    """

    host: str
    pids: tuple[int, ...]
    why: str
    jobs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class FileWritten(Event):
    """Somebody changed a file of a host; `path` is absolute. Control software that reads it may want to know."""

    host: str
    path: str


@dataclass(frozen=True, slots=True)
class LinkChanged(Event):
    """A network port went up or down."""

    port: str
    up: bool


@dataclass(frozen=True, slots=True)
class JobEnds(Event):
    """Scheduled: a Slurm job's work is done or its time is over."""

    job: int
    started: int


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
class SensorCheckDue(Event):
    """Scheduled: a BMC compares its sensors with their thresholds."""

    node: str


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
class InletDue(Event):
    """Scheduled: a node's changing inlet temperature reaches the next whole degree or its end, unless it was changed
    since.
    """

    node: str
    since: int


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
class SubnetSweepDue(Event):
    """Scheduled: a subnet manager sweeps its fabric because links of `ports` came or went (none: as it started)."""

    ports: tuple[str, ...] = ()
    up: bool = True


@dataclass(frozen=True, slots=True)
class BiosClockDue(Event):
    """Scheduled: the BIOS of a node whose boot was initiated at `began` sets the BMC's clock."""

    node: str
    began: int

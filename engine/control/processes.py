"""Processes of a host: what runs, starting and ending what people and jobs run, and signals.

Stored are only processes that somebody started; the system's own follow from what is up (engine.control.process_table).
A process that holds GPUs names them by nvidia-smi's index.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.control import harm
from engine.control.process_table import is_kernel_thread, service_processes, system_processes
from engine.control.usage import CpuUse, Memory, cpu_use, load_average, memory, note_load, work_cpu
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.events import GpuLoadChanged, NodeStopping, ProcessesEnded
from engine.world.records import BootPhase, Process
from engine.world.world import World

__all__ = [
    "HANDLERS",
    "CpuUse",
    "Kill",
    "Memory",
    "cpu_use",
    "end",
    "find",
    "load_average",
    "memory",
    "of_job",
    "processes",
    "start",
]

# Signals that end no ordinary process: 0 asks whether it is there, CHLD, URG and WINCH are ignored.
_HARMLESS = {0, 17, 23, 28}
_STOP, _CONTINUE, _HANG_UP, _TERMINATE = {19, 20, 21, 22}, 18, 1, 15
_UNINTERRUPTIBLE = "D"


def processes(world: World, host: str) -> list[Process]:
    """Everything that runs on `host`, by process id; nothing while its system is down."""
    if world.nodes[host].phase is not BootPhase.RUNNING:
        return []
    system = system_processes(world, host, driver=_driver_loaded(world, host))
    return sorted([*system, *world.systems[host].processes], key=lambda process: process.pid)


def find(world: World, host: str, pid: int) -> Process | None:
    """The process `pid`, or None."""
    return next((process for process in processes(world, host) if process.pid == pid), None)


def of_job(world: World, host: str, job: int) -> list[Process]:
    """The processes of a Slurm job on a host."""
    return [process for process in world.systems[host].processes if process.job == job]


def start(
    simulation: Simulation[World],
    host: str,
    *,
    user: str,
    command: str,
    gpus: Sequence[int] = (),
    gpu_memory: int = 0,
    workload: str | None = None,
    job: int | None = None,
    parent: int | None = None,
    terminal: str | None = None,
    unit: str | None = None,
    cpu_permille: int | None = None,
    resident_kib: int | None = None,
    started: int | None = None,
    nice: int = 0,
    state: str = "S",
    alone: bool = True,
) -> int:
    """Start a process. Gives its id. Of one that does not start `alone`, the starter tells the GPUs' new load when all
    of them run.
    """
    system = simulation.world.systems[host]
    pid, work = system.next_pid, work_cpu(workload)
    resident = work.resident_kib if resident_kib is None else resident_kib
    process = Process(
        pid=pid,
        parent=1 if parent is None else parent,
        user=user,
        command=command,
        started=simulation.now if started is None else started,
        cpu_permille=work.cpu_permille if cpu_permille is None else cpu_permille,
        resident_kib=resident,
        virtual_kib=max(16_384, resident * 3),
        terminal=terminal,
        state=state,
        gpus=tuple(gpus),
        gpu_memory=gpu_memory,
        job=job,
        unit=unit,
        nice=nice,
        workload=workload,
    )
    simulation.world.systems.update(host, processes=(*system.processes, process), next_pid=pid + 1 + pid * 7 % 3)
    note_load(simulation, host, process.started)
    if process.gpus and alone:
        simulation.publish(GpuLoadChanged(host))
    return pid


def end(simulation: Simulation[World], host: str, pids: Iterable[int], why: str) -> None:
    """Processes end: `why` is exit, killed, gpu_lost or node_down. Ids that are nobody's are passed over."""
    wanted = set(pids)
    before = simulation.world.systems[host].processes
    gone = [process for process in before if process.pid in wanted]
    services = [process for process in service_processes(simulation.world, host) if process.pid in wanted]
    if gone:
        kept = tuple(process for process in before if process.pid not in wanted)
        simulation.world.systems.update(host, processes=kept)
        note_load(simulation, host, simulation.now)
    if gone or services:
        jobs = tuple(sorted({process.job for process in gone if process.job is not None}))
        ended = tuple(sorted(process.pid for process in (*gone, *services)))
        simulation.publish(ProcessesEnded(host, ended, why, jobs))
    if any(process.gpus for process in gone):
        simulation.publish(GpuLoadChanged(host))


@dataclass(frozen=True, slots=True)
class Kill(Action):
    """Send a signal to a process. Gives kill(2)'s refusal (`No such process`, `Operation not permitted`) or None."""

    host: str
    pid: int
    signal: int
    by: str

    def perform(self, simulation: Simulation[World]) -> str | None:
        process = find(simulation.world, self.host, self.pid)
        if process is None:
            return "No such process"
        if self.by not in ("root", process.user):
            return "Operation not permitted"
        if self.signal in _STOP or self.signal == _CONTINUE:
            self._change_state(simulation, process, "T" if self.signal in _STOP else "S")
        elif self._ends(process):
            if process.job is not None and self.by != process.user:
                harm.record(
                    simulation,
                    "job_killed",
                    f"job {process.job} of {process.user} on {self.host}",
                    f"kill by {self.by}",
                )
            end(simulation, self.host, [self.pid], "killed")
        return None

    def _ends(self, process: Process) -> bool:
        """Whether the signal ends the process: not the kernel's threads, not init, not what hangs in the kernel."""
        if (
            self.signal in _HARMLESS
            or is_kernel_thread(process)
            or process.pid == 1
            or process.state.startswith(_UNINTERRUPTIBLE)
        ):
            return False
        reloads = self.signal == _HANG_UP and process.unit is not None
        ignores = self.signal == _TERMINATE and process.terminal is not None and process.command.startswith("-")
        return not (reloads or ignores)

    def _change_state(self, simulation: Simulation[World], process: Process, state: str) -> None:
        kept = simulation.world.systems[self.host].processes
        changed = tuple(replace(each, state=state) if each.pid == process.pid else each for each in kept)
        simulation.world.systems.update(self.host, processes=changed)


def _driver_loaded(world: World, host: str) -> bool:
    return bool(world.node(host).gpus) and world.systems[host].modules.get("nvidia", "") is not None


def _node_stops(simulation: Simulation[World], event: NodeStopping) -> None:
    """Nothing survives the end of the system."""
    end(
        simulation, event.node, [process.pid for process in simulation.world.systems[event.node].processes], "node_down"
    )
    simulation.world.systems.update(event.node, runnable=())


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((NodeStopping, _node_stops),)

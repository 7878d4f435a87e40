"""Processes of a host: what runs, starting and ending what people and jobs run, and signals.

Stored are only processes that somebody started; the system's own follow from what is up (engine.control.process_table).
A process that holds GPUs names them by nvidia-smi's index.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack

from engine.control import gpu_accounting, harm
from engine.control.process_table import is_kernel_thread, service_processes, system_processes
from engine.control.usage import CpuUse, Memory, cpu_use, load_average, memory, note_load, work_cpu
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.physics.load import bound_gpus
from engine.world.events import GpuLoadChanged, HungUp, NodeStopping, ProcessesEnded, ProcessesHeld
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
    "shell_pid",
    "start",
]

# Signals that end no ordinary process: 0 asks whether it is there, CHLD, URG and WINCH are ignored.
_HARMLESS = {0, 17, 23, 28}
_SIGSTOP = 19
_STOP, _CONTINUE, _HANG_UP, _TERMINATE = {_SIGSTOP, 20, 21, 22}, 18, 1, 15
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


def shell_pid(world: World, host: str, user: str) -> int:
    """The process id of a user's shell: that of the latest login, or else of the next process."""
    system = world.systems[host]
    shells = [each.pid for each in system.processes if each.user == user and each.command.startswith("-bash")]
    return max(shells, default=system.next_pid)


def of_job(world: World, host: str, job: int) -> list[Process]:
    """The processes of a Slurm job on a host."""
    return [process for process in world.systems[host].processes if process.job == job]


class Properties(TypedDict, total=False):
    """What may be said of a new process beside whose it is and what it runs; see Process. `started` is now, `parent` 1,
    and what it takes of CPU and memory follows from its `workload`, unless they are given.
    """

    gpus: Sequence[int]
    gpu_memory: int
    workload: str | None
    job: int | None
    parent: int | None
    terminal: str | None
    unit: str | None
    cpu_permille: int | None
    resident_kib: int | None
    started: int | None
    nice: int
    state: str
    environment: tuple[tuple[str, str], ...]
    cpus: str
    memory_lock: int | None
    instance: tuple[int, int] | None


def start(
    simulation: Simulation[World],
    host: str,
    *,
    user: str,
    command: str,
    alone: bool = True,
    **properties: Unpack[Properties],
) -> int:
    """Start a process. Gives its id. Of one that does not start `alone`, the starter tells the GPUs' new load when all
    of them run.
    """
    system = simulation.world.systems[host]
    pid, work = system.next_pid, work_cpu(properties.get("workload"))
    given: dict[str, Any] = {name: value for name, value in properties.items() if value is not None}
    resident = given.setdefault("resident_kib", work.resident_kib)
    defaults: dict[str, Any] = {"parent": 1, "started": simulation.now, "cpu_permille": work.cpu_permille}
    given["gpus"] = tuple(properties.get("gpus", ()))
    virtual = max(16_384, resident * 3)
    process = Process(pid=pid, user=user, command=command, virtual_kib=virtual, **(defaults | given))
    simulation.world.systems.update(host, processes=(*system.processes, process), next_pid=pid + 1 + pid * 7 % 3)
    note_load(simulation, host, process.started)
    if process.gpus and alone:
        simulation.publish(GpuLoadChanged(host))
    return pid


def change_work(simulation: Simulation[World], host: str, job: int, workload: str) -> None:
    """The processes of a job that use GPUs of a host now do another kind of work there; stopped ones give none."""

    def changed_one(process: Process) -> Process:
        if process.job != job or not process.gpus:
            return process
        return replace(process, workload=None if process.state.startswith("T") else workload)

    before = simulation.world.systems[host].processes
    changed = tuple(changed_one(process) for process in before)
    if changed != before:
        simulation.world.systems.update(host, processes=changed)
        simulation.publish(GpuLoadChanged(host))


def end(simulation: Simulation[World], host: str, pids: Iterable[int], why: str, signal: int = 9) -> None:
    """Processes end: `why` is exit, killed (by `signal`), gpu_lost or node_down. Ids of nobody are passed over."""
    wanted = set(pids)
    before = simulation.world.systems[host].processes
    gone = [process for process in before if process.pid in wanted]
    others = wanted.difference(process.pid for process in gone)
    services = [each for each in service_processes(simulation.world, host) if each.pid in others] if others else []
    if gone:
        gpu_accounting.keep(simulation, host, gone)
        if simulation.world.host_engines[host].process_watches is not None:
            from engine.control.dcgm import job_stats

            job_stats.keep(simulation, host, gone)
        kept = tuple(process for process in before if process.pid not in wanted)
        simulation.world.systems.update(host, processes=kept)
        note_load(simulation, host, simulation.now)
    if gone or services:
        jobs = tuple(sorted({process.job for process in gone if process.job is not None}))
        ended = tuple(sorted(process.pid for process in (*gone, *services)))
        simulation.publish(ProcessesEnded(host, ended, why, jobs, signal))
    if any(process.gpus for process in gone):
        simulation.publish(GpuLoadChanged(host))


def end_job(simulation: Simulation[World], host: str, job: int) -> None:
    """Slurm kills what is left of a job. What waits for a GPU that hangs stays in the kernel, as nobody's child."""
    left = of_job(simulation.world, host, job)
    stuck = {process.pid for process in left if _waits_for_hung_gpu(simulation.world, host, process)}
    if stuck:
        kept = tuple(
            replace(each, state=_UNINTERRUPTIBLE, job=None, parent=1) if each.pid in stuck else each
            for each in simulation.world.systems[host].processes
        )
        simulation.world.systems.update(host, processes=kept)
    end(simulation, host, [process.pid for process in left if process.pid not in stuck], "exit")


def unkillable(world: World, host: str) -> bool:
    """Whether a process of an ended job still waits in the kernel for a GPU of the host."""
    return any(each.state.startswith(_UNINTERRUPTIBLE) and each.gpus for each in world.systems[host].processes)


def stop(simulation: Simulation[World], host: str, pid: int) -> None:
    """Somebody stops a process (SIGSTOP)."""
    simulation.apply(Kill(host, pid, _SIGSTOP, "root"))


@dataclass(frozen=True, slots=True)
class SetAffinity(Action):
    """Let a process run on the CPUs of a list alone ("": on all). Gives sched_setaffinity(2)'s refusal or None."""

    host: str
    pid: int
    cpus: str
    by: str

    def perform(self, simulation: Simulation[World]) -> str | None:
        process = find(simulation.world, self.host, self.pid)
        if process is None:
            return "No such process"
        if self.by not in ("root", process.user):
            return "Operation not permitted"
        kept = simulation.world.systems[self.host].processes
        changed = tuple(replace(each, cpus=self.cpus) if each.pid == self.pid else each for each in kept)
        simulation.world.systems.update(self.host, processes=changed)
        return None


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
        elif self._ends(process) and not _waits_for_hung_gpu(simulation.world, self.host, process):
            if process.job is not None and self.by != process.user:
                harm.record(
                    simulation,
                    "job_killed",
                    f"job {process.job} of {process.user} on {self.host}",
                    f"kill by {self.by}",
                )
            elif simulation.world.inventory.kubernetes is not None and process.gpus:
                from engine.control.kubernetes import harms

                harms.process_goes(simulation, self.host, process, f"kill by {self.by}")
            end(simulation, self.host, [self.pid], "killed", self.signal)
        elif self.signal == _HANG_UP and process.unit is not None:
            simulation.publish(HungUp(self.host, process.unit))
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
        jobs = () if process.job is None else (process.job,)
        simulation.publish(ProcessesHeld(self.host, (process.pid,), jobs))


def _waits_for_hung_gpu(world: World, host: str, process: Process) -> bool:
    """Whether the process cannot end because the driver waits for a GPU that does not answer its work any more."""
    gpus = bound_gpus(world, host) if process.gpus else []
    return any(world.gpus[gpu.id].hung for index, gpu in enumerate(gpus) if index in process.gpus)


def _driver_loaded(world: World, host: str) -> bool:
    return bool(world.node(host).gpus) and world.systems[host].modules.get("nvidia", "") is not None


def _node_stops(simulation: Simulation[World], event: NodeStopping) -> None:
    """Nothing survives the end of the system."""
    end(
        simulation, event.node, [process.pid for process in simulation.world.systems[event.node].processes], "node_down"
    )
    simulation.world.systems.update(event.node, runnable=())


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((NodeStopping, _node_stops),)

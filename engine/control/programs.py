"""Programs that a person starts and that others can see while they run: ps shows them, kill ends them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.control import processes
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.events import GpuLoadChanged
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class BeginProgram(Action):
    """A program of `user` starts on `host` and does its own work until it ends. Gives its process id."""

    host: str
    user: str
    command: str
    terminal: str | None = None
    parent: int | None = None
    cpu_permille: int = 0
    resident_kib: int = 8_192
    cpus: str = ""

    def perform(self, simulation: Simulation[World]) -> int:
        return processes.start(
            simulation,
            self.host,
            user=self.user,
            command=self.command,
            terminal=self.terminal,
            parent=self.parent,
            cpu_permille=self.cpu_permille,
            resident_kib=self.resident_kib,
            state="R+" if self.terminal else "S",
            cpus=self.cpus,
        )


@dataclass(frozen=True, slots=True)
class HoldGpus(Action):
    """A program has made its context on GPUs (the driver's indices), with `memory` MiB on each."""

    host: str
    pid: int
    gpus: tuple[int, ...]
    memory: int

    def perform(self, simulation: Simulation[World]) -> None:
        kept = tuple(
            replace(process, gpus=self.gpus, gpu_memory=self.memory) if process.pid == self.pid else process
            for process in simulation.world.systems[self.host].processes
        )
        simulation.world.systems.update(self.host, processes=kept)
        simulation.publish(GpuLoadChanged(self.host))


@dataclass(frozen=True, slots=True)
class EndProgram(Action):
    """A program ends by itself; nothing happens if it was ended before."""

    host: str
    pid: int

    def perform(self, simulation: Simulation[World]) -> None:
        processes.end(simulation, self.host, [self.pid], "exit")


def runs(world: World, host: str, pid: int) -> bool:
    """Whether a program that was started is still there."""
    return any(process.pid == pid for process in world.systems[host].processes)

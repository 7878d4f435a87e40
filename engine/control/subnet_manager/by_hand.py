"""opensm that somebody has started at a terminal instead of by its service: it manages as long as its process runs."""

from __future__ import annotations

from engine.control.subnet_manager import configuration, sweep
from engine.control.subnet_manager.configuration import Settings
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.events import ProcessesEnded
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class ManageByHand(Action):
    """The process `pid` of a host is an opensm that begins to manage, with settings of its command line before those of
    its file.
    """

    host: str
    pid: int
    settings: Settings = ()

    def perform(self, simulation: Simulation[World]) -> None:
        read = dict(configuration.read(simulation.world, self.host).settings)
        settings = tuple(sorted((read | dict(self.settings)).items()))
        simulation.world.managers.update(self.host, enabled=True, process=self.pid)
        sweep.begin_with(simulation, self.host, settings)


def _ended(simulation: Simulation[World], event: ProcessesEnded) -> None:
    memory = simulation.world.managers[event.host]
    if memory.process and memory.process in event.pids:
        simulation.world.managers.update(event.host, enabled=False, process=0)
        sweep.finish(simulation, event.host)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ProcessesEnded, _ended),)

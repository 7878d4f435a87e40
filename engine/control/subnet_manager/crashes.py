"""An opensm that crashes by its own mistake every few minutes, and a watchdog of cron that starts it again.

Guesses: it dies by a segmentation fault; the watchdog needs 90 s, as cron looks once in a minute and its line sleeps.
The watchdog starts what somebody has stopped, too, as long as its file is there; it looks when a crash would be due.
"""

from __future__ import annotations

from engine.control import files, processes, service_state, systemd
from engine.control.subnet_manager.managers import UNIT
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.events import ManagerCrashes
from engine.world.world import World

WATCHDOG = "/etc/cron.d/opensm-watchdog"
LINE = "* * * * * root systemctl is-active -q opensm || { sleep 45; systemctl restart opensm; }\n"
_SEGMENTATION_FAULT = 11
_STARTED_AFTER = 90 * SECOND


def watched(world: World, node: str) -> bool:
    """Whether the watchdog is on a node."""
    return bool(files.text(world, node, WATCHDOG, ""))


def crash_later(simulation: Simulation[World], node: str, every: int) -> None:
    """The opensm that runs on a node now crashes in a while."""
    run = service_state.service(simulation.world, node, UNIT)
    simulation.schedule(ManagerCrashes(node, every, run.pid), every)


def _crashes(simulation: Simulation[World], event: ManagerCrashes) -> None:
    run = service_state.service(simulation.world, event.place, UNIT)
    if event.pid and run.active and run.pid == event.pid:
        processes.end(simulation, event.place, [run.pid], "killed", _SEGMENTATION_FAULT)
    if not event.pid and not run.active and watched(simulation.world, event.place):
        simulation.apply(systemd.StartUnit(event.place, UNIT, ""))
        crash_later(simulation, event.place, event.every)
    elif event.pid:
        simulation.schedule(ManagerCrashes(event.place, event.every), _STARTED_AFTER)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ManagerCrashes, _crashes),)

"""What the building's controllers tell: the controller of a cooling door sends syslog messages to the login host.

That it does, and its words, are a guess; products differ.
"""

from __future__ import annotations

from engine.control import journald
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.world.events import LeakAlarm
from engine.world.records import Priority
from engine.world.world import World


def _alarm(simulation: Simulation[World], event: LeakAlarm) -> None:
    if event.raised:
        text, priority = "ALARM leak detector 1: water, chilled water valve closed", Priority.CRIT
    else:
        text, priority = "leak detector 1: normal, chilled water valve open", Priority.NOTICE
    host = simulation.world.inventory.login_host
    journald.log(simulation, host, text, source=f"{event.rack.lower()}-door", priority=priority, facility="local3")


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((LeakAlarm, _alarm),)

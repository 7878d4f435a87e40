"""Links that go down and come up by themselves: a contact or a transceiver that lets go for a moment.

Each time the link is down for two to seven seconds (training anew; a guess), and the next time comes after half to one
and a half of the average interval, by hash.
"""

from __future__ import annotations

from dataclasses import replace

from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.world.events import CableFlaps
from engine.world.inventory import Cable
from engine.world.records import Flapping
from engine.world.world import World

_SHORTEST_DOWN, _MORE_DOWN = 2 * SECOND, 5 * SECOND


def begin(simulation: Simulation[World], cable: Cable, every: int) -> None:
    """The link of a cable goes down from now on, every `every` ns on average."""
    flapping = Flapping(simulation.now, every)
    links.change_cable(simulation, cable, flapping=flapping)
    _plan(simulation, cable.id, flapping)


def _plan(simulation: Simulation[World], cable: str, flapping: Flapping) -> None:
    """Schedule the next time that the link goes or comes."""
    chance = hash64(simulation.world.seed, "flap", cable, flapping.since, flapping.count, flapping.down)
    if flapping.down:
        after = _SHORTEST_DOWN + chance % _MORE_DOWN
    else:
        after = flapping.every // 2 + chance % max(1, flapping.every)
    simulation.schedule(CableFlaps(cable, flapping.since, flapping.count, not flapping.down), after)


def _flaps(simulation: Simulation[World], event: CableFlaps) -> None:
    """Unless somebody has replaced the cable meanwhile."""
    now = simulation.world.cables[event.cable].flapping
    if now is None or (now.since, now.count, now.down) != (event.since, event.count, not event.down):
        return
    after = replace(now, down=event.down, count=now.count + int(not event.down))
    cable = simulation.world.inventory.cables[event.cable.partition("--")[0]]
    links.change_cable(simulation, cable, flapping=after)
    _plan(simulation, event.cable, after)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((CableFlaps, _flaps),)

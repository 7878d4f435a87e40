"""Deadlock: queues that wait for each other in a circle, because flows run up and down through the fabric.

A circle of pauses alone does no harm yet: packets still move. It takes a moment in which all of its queues are full at
once; then they stand still, whoever sends (Hu et al., "Deadlocks in Datacenter Networks", HotNets 2016). Here that
happens one to five seconds after the circle came about, if it is still there: a guess. It ends when a link of one of
the queues goes down, or a watchdog empties one.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.traffic import capacity
from engine.world.ethernet_events import QueuesLock
from engine.world.events import LinkChanged
from engine.world.world import World

Circle = tuple[tuple[str, int], ...]

_SOONEST, _SPAN = SECOND, 4


def look(simulation: Simulation[World], circles: Sequence[Circle]) -> None:
    """Traffic has been divided anew, and these queues wait for each other."""
    world = simulation.world
    for circle in circles:
        first = circle[0][0]
        if not capacity.ethernet(world, first) or world.ethernet_ports[first].circling or _locked(world, circle):
            continue
        world.ethernet_ports.update(first, circling=True)
        later = hash64("deadlock", world.seed, first, simulation.now) % _SPAN
        simulation.schedule(QueuesLock(circle), _SOONEST + later * SECOND)


def release(simulation: Simulation[World], port: str) -> None:
    """Packets leave the queues of a port: everything that waited for them in a circle moves again."""
    world = simulation.world
    if not world.ethernet_ports[port].locked:
        return
    held = [each for each in world.ethernet_ports.changed() if world.ethernet_ports[each].locked]
    for each in held:
        world.ethernet_ports.update(each, locked=())
    _review(simulation, held)


def _locked(world: World, circle: Circle) -> bool:
    return all(number in world.ethernet_ports[port].locked for port, number in circle)


def _lock(simulation: Simulation[World], event: QueuesLock) -> None:
    from engine.physics.traffic.settlement import connected, settled

    world, first = simulation.world, event.circle[0][0]
    world.ethernet_ports.update(first, circling=False)
    owners = connected(world, world.traffic[first].owners)
    found = settled(world, {owner: world.bundles[owner] for owner in owners}).circles() if owners else []
    queues = sorted({queue for circle in found for queue in circle})
    for port, number in queues:
        before = world.ethernet_ports[port].locked
        world.ethernet_ports.update(port, locked=tuple(sorted({*before, number})))
    _review(simulation, [port for port, _ in queues])


def _review(simulation: Simulation[World], ports: Sequence[str]) -> None:
    from engine.physics.traffic import exchange

    exchange.review(simulation, ports)


def _link_changed(simulation: Simulation[World], event: LinkChanged) -> None:
    if event.up or not simulation.world.ethernet_ports.generation:
        return
    far = links.peer(simulation.world.inventory, event.port)
    for port in (event.port, far) if far else (event.port,):
        release(simulation, port)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((QueuesLock, _lock), (LinkChanged, _link_changed))

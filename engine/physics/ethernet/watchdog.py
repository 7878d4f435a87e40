"""The PFC watchdog of a switch: a queue that sends nothing because it is paused all the time is taken in hand.

Source: SONiC's PFC watchdog (sonic-swss, sonic-utilities pfcwd; Cumulus has the same under `qos pfc-watchdog`): the
ports are polled; a queue that stays paused with packets in it and sends none for the detection time is stormed. Its
action is `drop` (what is in the queue and what comes is thrown away, so that ports before it run on), `forward` (it is
deaf to pause), or `alert` (it is counted alone). When no pause has come for the restoration time, it is let go. Between
detection and restoration nothing runs; the phase of the polling follows from the port. Guesses: a detection time below
100 ms takes a queue for stormed that is paused for half of the time, and does so again 5 to 60 s after it let it go.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.physics import links
from engine.physics.ethernet import locks
from engine.physics.traffic import exchange
from engine.world.ethernet_events import QueueQuiet, QueueStormed, QueueStuck
from engine.world.records import WHOLE, EthernetPort, StormedQueue, Watchdog
from engine.world.world import World

_ALWAYS, _HALF = WHOLE * 999 // 1000, WHOLE // 2
_PATIENT_MS = 100
_AGAIN, _SPAN = 5 * SECOND, 55


def look(simulation: Simulation[World], paused: Iterable[tuple[str, int]]) -> None:
    """Traffic has been divided anew, and these queues are paused much; stormed ones may have become quiet."""
    world = simulation.world
    for port, traffic_class in paused:
        state, dog = world.ethernet_ports[port], world.port_qos[port].watchdog
        known = (*state.looked_at, *(queue.traffic_class for queue in state.stormed))
        if not dog.on or traffic_class in known or not _of_a_switch(world, port):
            continue
        if _paused(world, port, traffic_class, _least(dog)):
            world.ethernet_ports.update(port, looked_at=(*state.looked_at, traffic_class))
            simulation.schedule(QueueStuck(port, traffic_class), _delay(world, port, state.storms[traffic_class]))
    for port in world.ethernet_ports.changed():
        for queue in world.ethernet_ports[port].stormed:
            _maybe_quiet(simulation, port, queue.traffic_class)


def _least(dog: Watchdog) -> int:
    """The share of the time (ppm) in which a queue has to be paused."""
    return _ALWAYS if dog.detection_ms >= _PATIENT_MS else _HALF


def _delay(world: World, port: str, storms: int) -> int:
    """ns until the watchdog of a port is sure, which has had so many storms before."""
    dog = world.port_qos[port].watchdog
    phase = hash64("watchdog", world.seed, port) % max(dog.poll_ms, 1)
    pause = _AGAIN + hash64("storm", world.seed, port, storms) % _SPAN * SECOND
    wait = pause if storms and dog.detection_ms < _PATIENT_MS else 0
    return (dog.detection_ms + phase) * MILLISECOND + wait


def _maybe_quiet(simulation: Simulation[World], port: str, traffic_class: int) -> None:
    world = simulation.world
    state, dog = world.ethernet_ports[port], world.port_qos[port].watchdog
    if traffic_class not in state.quiet and not _paused(world, port, traffic_class):
        world.ethernet_ports.update(port, quiet=(*state.quiet, traffic_class))
        simulation.schedule(QueueQuiet(port, traffic_class), dog.restoration_ms * MILLISECOND)


def _of_a_switch(world: World, port: str) -> bool:
    return port.partition("/")[0] in world.inventory.switches and links.ethernet(world, port)


def _paused(world: World, port: str, traffic_class: int, least: int = _ALWAYS) -> bool:
    """Whether pause keeps a queue from sending for this share of the time (ppm)."""
    classes = world.port_qos[port].classes
    return any(
        classes[priority] == traffic_class and volume.waiting >= least for priority, volume in world.traffic[port].now
    )


def _stuck(simulation: Simulation[World], event: QueueStuck) -> None:
    world, port, number = simulation.world, event.port, event.traffic_class
    state, dog = world.ethernet_ports[port], world.port_qos[port].watchdog
    rest = tuple(each for each in state.looked_at if each != number)
    state = world.ethernet_ports.update(port, looked_at=rest)
    if not (dog.on and world.traffic[port].owners and _paused(world, port, number, _least(dog))):
        return
    storm = StormedQueue(number, simulation.now, dog.action)
    world.ethernet_ports[port] = replace(state, stormed=(*state.stormed, storm), storms=_one_more(state.storms, number))
    simulation.publish(QueueStormed(port, number))
    if dog.action != "alert":
        locks.release(simulation, port)
        exchange.review(simulation, [port])


def _quiet(simulation: Simulation[World], event: QueueQuiet) -> None:
    world, port, number = simulation.world, event.port, event.traffic_class
    state = world.ethernet_ports[port]
    state = world.ethernet_ports.update(port, quiet=tuple(each for each in state.quiet if each != number))
    if _paused(world, port, number) or all(queue.traffic_class != number for queue in state.stormed):
        return
    let_go(simulation, port, state, number)


def let_go(simulation: Simulation[World], port: str, state: EthernetPort, traffic_class: int) -> None:
    """A stormed queue works as before."""
    left = tuple(queue for queue in state.stormed if queue.traffic_class != traffic_class)
    restored = _one_more(state.restored, traffic_class)
    simulation.world.ethernet_ports[port] = replace(state, stormed=left, restored=restored)
    simulation.publish(QueueStormed(port, traffic_class, restored=True))
    exchange.review(simulation, [port])


def _one_more(counts: tuple[int, ...], place: int) -> tuple[int, ...]:
    return tuple(count + (number == place) for number, count in enumerate(counts))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((QueueStuck, _stuck), (QueueQuiet, _quiet))

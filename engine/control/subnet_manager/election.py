"""Who is master among several subnet managers: discovery, standing by, handover, and what happens when a master goes.

Rules of opensm 3.3.23 (osm_sm_state_mgr.c, osm_state_mgr.c, osm_sminfo_rcv.c), measured with two managers on a
simulator:

* A manager that has started discovers the fabric. If it finds a master, or another one that stands higher, it stands
  by, and tells the master so by trap 144. Otherwise it becomes master.
* A master that finds a manager which stands higher than itself hands the fabric over, and stands by.
* Who stands by asks the master for its SMInfo every sminfo_polling_timeout. After polling_retry_number + 1 questions
  without an answer it discovers anew at the time of the next one.
* A manager whose own port loses its link forgets its state, and discovers when the link is back.
* With another sm_key a manager is ignored, so that there are two masters; both write to the fabric.

Simplification: every manager at work reaches every other one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from engine.control.subnet_manager import configuration, sweep_log
from engine.control.subnet_manager.lids import end_port
from engine.control.subnet_manager.managers import (
    DISCOVERING,
    GONE,
    MASTER,
    STANDBY,
    Manager,
    ManagerState,
    manager_of,
    managers,
    port_of,
)
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.events import ManagerPollDue
from engine.world.inventory import Inventory, Switch
from engine.world.world import World


def begin(simulation: Simulation[World], place: str) -> None:
    """A manager starts: it discovers the fabric in the sweep that follows."""
    simulation.world.managers.update(place, stood_by=False)
    _take(simulation, place, DISCOVERING)
    sweep_log.started(simulation, place, port_of(simulation.world, place))


def end(simulation: Simulation[World], place: str) -> None:
    """A manager ends, or its host does. Those that ask it for a sign of life will find out."""
    if simulation.world.managers[place].role != GONE:
        _take(simulation, place, GONE)
    await_silence(simulation, place)


def lose_link(simulation: Simulation[World], place: str) -> None:
    """The manager's own port has no link any more."""
    _take(simulation, place, DISCOVERING)
    sweep_log.port_down(simulation, place)
    await_silence(simulation, place)


def await_silence(simulation: Simulation[World], place: str) -> None:
    """Those who follow the manager at `place` ask again, in vain, when their time comes."""
    for follower in managers(simulation.world):
        memory = simulation.world.managers[follower.place]
        if follower.state is ManagerState.STANDBY and memory.follows == place and memory.due is None:
            _ask_next(simulation, follower)


def settle(simulation: Simulation[World]) -> None:
    """Newcomers find out what they are; masters hand over to whom it is due."""
    world = simulation.world
    newcomers = [each for each in managers(world) if each.state is ManagerState.DISCOVERING]
    for newcomer in sorted(newcomers, key=lambda each: each.rank):
        _discover(simulation, newcomer)
    for found in managers(world):
        current = manager_of(world, found.place)
        if current and current.state is ManagerState.MASTER and current.since < simulation.now:
            _hand_over(simulation, current)


def _discover(simulation: Simulation[World], newcomer: Manager) -> None:
    others = list(_peers(simulation, newcomer))
    masters = [other for other in others if other.state is ManagerState.MASTER]
    higher = [other for other in others if other.rank < newcomer.rank]
    if not masters and not higher:
        _become_master(simulation, newcomer)
        return
    leader = min(masters or higher, key=lambda each: each.rank)
    _stand_by(simulation, newcomer, leader)
    sweep_log.announced(simulation, leader, newcomer)


def _hand_over(simulation: Simulation[World], current: Manager) -> None:
    """C14-60 of the InfiniBand specification: the highest one shall be master."""
    highest = min((*_peers(simulation, current), current), key=lambda each: each.rank)
    if highest.place == current.place:
        return
    _stand_by(simulation, current, highest)
    if highest.state is not ManagerState.MASTER:
        _become_master(simulation, highest)


def _become_master(simulation: Simulation[World], manager: Manager) -> None:
    _take(simulation, manager.place, MASTER)
    sweep_log.entered(simulation, manager.place, MASTER)
    for other in managers(simulation.world):
        if other.state is ManagerState.STANDBY and other.place != manager.place:
            simulation.world.managers.update(
                other.place, follows=manager.place, path=route(simulation.world, other.port, manager.port)
            )


def _stand_by(simulation: Simulation[World], manager: Manager, leader: Manager) -> None:
    _take(simulation, manager.place, STANDBY)
    path = route(simulation.world, manager.port, leader.port)
    simulation.world.managers.update(manager.place, follows=leader.place, path=path)
    sweep_log.entered(simulation, manager.place, STANDBY)


def _take(simulation: Simulation[World], place: str, role: str) -> None:
    stood_by = role == STANDBY or simulation.world.managers[place].stood_by
    simulation.world.managers.update(
        place, role=role, since=simulation.now, follows="", path=(), unanswered=0, due=None, stood_by=stood_by
    )


def _peers(simulation: Simulation[World], manager: Manager) -> Iterator[Manager]:
    """Other managers with the same key, as opensm looks at them; those with another one are named in its log."""
    world = simulation.world
    own = configuration.number(world, "sm_key", manager.place)
    for other in managers(world):
        if other.place == manager.place:
            continue
        key = configuration.number(world, "sm_key", other.place)
        if own and key != own:
            sweep_log.foreign_key(simulation, manager, route(world, manager.port, other.port), key)
            continue
        yield other


def _ask_next(simulation: Simulation[World], follower: Manager) -> None:
    """The next moment at which a manager that stands by asks its master."""
    wait, _ = configuration.polling(simulation.world, follower.place)
    due = follower.since + ((simulation.now - follower.since) // wait + 1) * wait
    simulation.world.managers.update(follower.place, due=due)
    simulation.schedule(ManagerPollDue(follower.place, follower.since), due - simulation.now)


def poll(simulation: Simulation[World], event: ManagerPollDue) -> bool:
    """A manager that stands by asks its master, which may be gone. Returns whether it begins to discover."""
    world = simulation.world
    follower, memory = manager_of(world, event.place), world.managers[event.place]
    if follower is None or follower.state is not ManagerState.STANDBY or memory.due != simulation.now:
        return False
    world.managers.update(event.place, due=None)
    if _alive(world, follower, memory.follows):
        world.managers.update(event.place, unanswered=0)
        return False
    _, forgiven = configuration.polling(world, event.place)
    if memory.unanswered > forgiven:
        _take(simulation, event.place, DISCOVERING)
        sweep_log.entered(simulation, event.place, DISCOVERING)
        return True
    world.managers.update(event.place, unanswered=memory.unanswered + 1)
    sweep_log.no_answer(simulation, follower, memory.path)
    _ask_next(simulation, follower)
    return False


def _alive(world: World, follower: Manager, followed: str) -> bool:
    """Whether the one that is asked answers as a master, or as one that stands higher."""
    found = manager_of(world, followed)
    return found is not None and (found.state is ManagerState.MASTER or found.rank < follower.rank)


def route(world: World, start: str, goal: str) -> tuple[int, ...]:
    """Ports of a shortest directed route between two end ports, ascending where several are equally short; () if there
    is none.
    """
    waiting, known = deque[tuple[str, tuple[int, ...]]]([(start, ())]), {start}
    while waiting:
        near, taken = waiting.popleft()
        for port in _ways_out(world.inventory, near):
            far = links.peer(world.inventory, port)
            if far is None or end_port(far) in known or not links.link_up(world, port):
                continue
            known.add(end_port(far))
            path = (*taken, int(port.rpartition("/")[2]))
            if end_port(far) == goal:
                return path
            if end_port(far) != far:
                waiting.append((end_port(far), path))
    return ()


def _ways_out(inventory: Inventory, end: str) -> list[str]:
    device = links.place(inventory, end).device
    if isinstance(device, Switch):
        return [f"{device.name}/{number}" for number in range(1, device.ports + 1)]
    return [end]

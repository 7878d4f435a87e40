"""What a subnet manager does when the fabric changes: it sweeps, gives LIDs, brings ports from Initializing to Active,
programs the switches' forwarding tables, and gives partition keys.

A port whose link was down waits as Initializing for a sweep; if no master is at work it stays so, while all other
ports keep their LIDs and go on, as do the tables. A restarted node's ports have forgotten their LID; the manager
remembers it. Changes that come until a sweep begins are dealt with in it, as are managers that have started meanwhile
(`election`). Guess: a sweep begins a second after the change (a trap of the switch starts it).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.control.subnet_manager import configuration, duplicates, lid_file, sweep_log
from engine.control.subnet_manager.lids import (
    FABRIC,
    end_port,
    first_manager_lid,
    fresh_lids,
    host_of_manager,
    lid,
    manager_lid,
    port_guid,
    swapped,
)
from engine.control.subnet_manager.managers import (
    DISCOVERING,
    GONE,
    UNIT,
    Manager,
    ManagerState,
    managers,
    master,
    port_of,
    running,
)
from engine.control.subnet_manager.tables import configure, resident
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.world.events import (
    HungUp,
    LinkChanged,
    ManagerPollDue,
    ModuleChanged,
    NodeStopping,
    NodeUp,
    ServiceChanged,
    SubnetSweepDue,
    SubnetSwept,
)
from engine.world.inventory import Switch
from engine.world.world import World

if TYPE_CHECKING:
    from engine.control.subnet_manager.routing.fabric import Fabric

_AFTER_A_CHANGE = SECOND
_DRIVER = "mlx5_core"


def sweep(simulation: Simulation[World], manager: Manager, changed: Iterable[str] = ()) -> None:
    """Look at the whole fabric, and bring up what waits for it. `changed` are ports whose links came or went."""
    from engine.control.subnet_manager.partitions import give_keys
    from engine.control.subnet_manager.routing.sources import fabric_of_world

    world = simulation.world
    fabric, moved = _addressed(simulation, manager, fabric_of_world(world, manager.guid))
    lids = _lids(fabric)
    waiting = [port for port in world.ports.changed() if _waits(world, port) and _both_found(world, port, lids)]
    new = _new_ends(world, waiting)
    _ask_in_vain(simulation, manager, lids)
    if fabric.without_lid:
        sweep_log.no_lids(simulation, manager, _without(world, fabric), switches=len(fabric.switch_guids))
    ends = dict.fromkeys(end_port(port) for port in changed)
    sweep_log.lost(simulation, manager, [end for end in ends if _guid(world, end) not in lids])
    _bring_up(world, waiting, lids)
    _take_over(world, lids, lid(world, manager.port))
    divided, lines = give_keys(world, manager, lids)
    sweep_log.said(simulation, manager.place, lines)
    rerouted, lines = configure(world, manager, fabric, gained=bool(waiting))
    sweep_log.said(simulation, manager.place, lines)
    sweep_log.finished(simulation, manager, new)
    if waiting or rerouted or divided or moved:
        simulation.publish(SubnetSwept(rerouted or divided, moved))


def _without(world: World, fabric: Fabric) -> list[str]:
    """End ports for which no LID is left."""
    inventory = world.inventory
    ends = inventory.once(("ends by guid",), lambda: {port_guid(inventory, end): end for end in fresh_lids(inventory)})
    return [ends[guid] for guid in fabric.without_lid]


def _addressed(simulation: Simulation[World], manager: Manager, fabric: Fabric) -> tuple[Fabric, tuple[str, ...]]:
    """The fabric with the LIDs that the manager gives, and the end ports that have lost another LID by that."""
    from engine.control.subnet_manager.routing.sources import fabric_of_world

    world = simulation.world
    first = not resident(world, manager)
    if first:
        known, lines = lid_file.known_at_first(world, manager, tuple(_lids(fabric)))
        sweep_log.said(simulation, manager.place, lines)
        lid_file.remember(simulation, manager.place, known)
        fabric = fabric_of_world(world, manager.guid, known)
    before = lid_file.remembered(world)
    lids = _lids(fabric)
    new = {guid: number for guid, number in lids.items() if number and before.get(guid) != number}
    if new:
        lid_file.remember(simulation, manager.place, {**before, **new})
    if first or new:
        lid_file.store(simulation, manager.place)
    return fabric, _give(world, lids) if first else ()


def _give(world: World, lids: Mapping[int, int]) -> tuple[str, ...]:
    """Write LIDs into the ports that have another one, or none though they are Active; 0 where none is left. Returns
    those that have lost one.
    """
    moved = []
    for end in dict.fromkeys((*fresh_lids(world.inventory), *map(end_port, world.ports.changed()))):
        number, before = lids.get(_guid(world, end)), lid(world, end)
        if number in (None, before) or not (before or world.ports[end].initialized):
            continue
        world.ports.update(end, lid=number)
        moved += [end] if before else []
    return tuple(moved)


def _lids(fabric: Fabric) -> Mapping[int, int]:
    """By the port GUIDs of everything that was found; 0 where none is left."""
    guids, numbers = (*fabric.end_guids, *fabric.switch_guids), (*fabric.end_lids, *fabric.switch_lids)
    return dict(zip(guids, numbers, strict=True)) | dict.fromkeys(fabric.without_lid, 0)


def _guid(world: World, port: str) -> int:
    return port_guid(world.inventory, end_port(port))


def _bring_up(world: World, waiting: Iterable[str], lids: Mapping[int, int]) -> None:
    for port in waiting:
        world.ports.update(end_port(port), lid=lids[_guid(world, port)])
        world.ports.update(port, initialized=True)


def _take_over(world: World, lids: Mapping[int, int], own: int) -> None:
    """All ports that the sweep has found learn the LID of the manager; those out of its reach keep the old one."""
    known = world.subnet_manager[FABRIC]
    if own != (first_manager_lid(world.inventory) if known.master_lid is None else known.master_lid):
        for end in fresh_lids(world.inventory):
            if _guid(world, end) not in lids and world.ports[end].sm_lid is None:
                world.ports.update(end, sm_lid=manager_lid(world, end))
        world.subnet_manager.update(FABRIC, master_lid=own)
    for port in world.ports.changed():
        stored = world.ports[port].sm_lid
        if stored is not None and stored != own and _guid(world, port) in lids:
            world.ports.update(port, sm_lid=own)


def _waits(world: World, port: str) -> bool:
    place = links.place(world.inventory, port)
    return place.number > 0 and not place.ethernet and not world.ports[port].initialized and links.link_up(world, port)


def _both_found(world: World, port: str, lids: Mapping[int, int]) -> bool:
    """Whether a port and what is at its other end were found: a port that leads to nobody is left as Initializing
    (opensm, osm_link_mgr.c: link_mgr_process_node).
    """
    far = links.peer(world.inventory, port)
    return _guid(world, port) in lids and (far is None or _guid(world, far) in lids)


def _ask_in_vain(simulation: Simulation[World], manager: Manager, lids: Mapping[int, int]) -> None:
    """Adapters whose link is up and who do not answer."""
    from engine.control.subnet_manager import election

    world = simulation.world
    for port in world.ports.changed():
        if world.ports[port].silent and _guid(world, port) not in lids and links.link_up(world, port):
            path = election.route(world, manager.port, port)
            if path:
                sweep_log.no_node(simulation, manager, path)


def _new_ends(world: World, waiting: Collection[str]) -> list[str]:
    """End ports that the last sweep did not find, in table order: adapters' that wait, and switches of which every link
    does.
    """
    switches = dict.fromkeys(port.rpartition("/")[0] for port in waiting if end_port(port) != port)
    new = [port for port in waiting if end_port(port) == port]
    for name in switches:
        ports = (f"{name}/{number}" for number in range(1, world.inventory.switches[name].ports + 1))
        up = [port for port in ports if port in world.inventory.cables and links.link_up(world, port)]
        if set(up) <= set(waiting):
            new.append(end_port(up[0]))
    return sorted(new, key=lambda end: swapped(_guid(world, end)))


def _sweep_due(simulation: Simulation[World], event: SubnetSweepDue) -> None:
    from engine.control.subnet_manager import election

    known = simulation.world.subnet_manager[FABRIC]
    if known.due != simulation.now:
        return
    _on_switches(simulation)
    if twins := duplicates.found(simulation.world):
        _in_vain(simulation, twins)
        return
    simulation.world.subnet_manager.update(FABRIC, due=None, changed=())
    election.settle(simulation)
    masters = [found for found in managers(simulation.world) if found.state is ManagerState.MASTER]
    for manager in reversed(masters):
        sweep(simulation, manager, known.changed)


def _in_vain(simulation: Simulation[World], twins: Sequence[tuple[str, str]]) -> None:
    """A sweep that finds one GUID at two places never ends: nobody becomes master, nothing is given or written."""
    from engine.control.subnet_manager import election

    for manager in managers(simulation.world):
        if manager.state in (ManagerState.MASTER, ManagerState.DISCOVERING):
            for pair in twins:
                sweep_log.duplicated(simulation, manager, pair, election.route(simulation.world, manager.port, pair[1]))
    simulation.world.subnet_manager.update(FABRIC, due=simulation.now + duplicates.AGAIN)
    simulation.schedule(SubnetSweepDue(), duplicates.AGAIN)


def _on_switches(simulation: Simulation[World]) -> None:
    """A manager on a switch goes and comes with the switch's power."""
    from engine.control.subnet_manager import election

    world = simulation.world
    for place in world.managers.changed():
        if place not in world.inventory.switches or not world.managers[place].enabled:
            continue
        gone = world.managers[place].role == GONE
        if gone and running(world, place):
            election.begin(simulation, place)
        elif not gone and not running(world, place):
            election.end(simulation, place)


def _await_sweep(simulation: Simulation[World], ports: tuple[str, ...] = ()) -> None:
    """Sweep soon, because of links in `ports`; together with what else has changed until then."""
    manager = master(simulation.world)
    if manager and ports:
        sweep_log.noticed(simulation, manager, ports)
    known = simulation.world.subnet_manager[FABRIC]
    soon = simulation.now + _AFTER_A_CHANGE
    earlier = known.due is None or known.due > soon
    due = soon if earlier else known.due
    simulation.world.subnet_manager.update(FABRIC, due=due, changed=(*known.changed, *ports))
    if earlier:
        simulation.schedule(SubnetSweepDue(), _AFTER_A_CHANGE)


def _link_changed(simulation: Simulation[World], event: LinkChanged) -> None:
    """Both ends publish; the manager hears from switches, and of a cable between two of them from one."""
    inventory = simulation.world.inventory
    place = links.place(inventory, event.port)
    if place.ethernet:
        return
    if not event.up:
        simulation.world.ports.update(event.port, initialized=False)
        _manager_cut_off(simulation, event.port)
    far = links.peer(inventory, event.port)
    if far and isinstance(place.device, Switch) and (far.count("/") > 1 or event.port < far):
        _await_sweep(simulation, (far,))


def _ports_of(world: World, node: str) -> tuple[str, ...]:
    """Cabled InfiniBand ports of a node."""
    hcas = [hca for hca in world.node(node).hcas if hca.link_layer == "InfiniBand"]
    return tuple(hca.port for hca in hcas if links.peer(world.inventory, hca.port))


def _hcas_reset(simulation: Simulation[World], node: str) -> None:
    """The HCAs of a node start anew: they have no LID, and both ends of their links have to be brought up again."""
    world = simulation.world
    for port in _ports_of(world, node):
        world.ports.update(port, initialized=False, lid=0, sm_lid=0)
        far = links.peer(world.inventory, port)
        if far:
            world.ports.update(far, initialized=False)


def _manager_cut_off(simulation: Simulation[World], port: str) -> None:
    """If a manager works through a port that has lost its link, it stops managing."""
    from engine.control.subnet_manager import election

    for place in _places(simulation.world):
        if port_of(simulation.world, place) == port and running(simulation.world, place):
            election.lose_link(simulation, place)


def _places(world: World) -> list[str]:
    """Where managers are or were."""
    own = host_of_manager(world.inventory)
    return list(dict.fromkeys(([own.node] if own else []) + world.managers.changed()))


def _node_stopping(simulation: Simulation[World], event: NodeStopping) -> None:
    _hcas_reset(simulation, event.node)
    _await_sweep(simulation, _ports_of(simulation.world, event.node))
    if event.node in _places(simulation.world):
        finish(simulation, event.node)


def _node_up(simulation: Simulation[World], event: NodeUp) -> None:
    known = event.node in _places(simulation.world)
    if known and running(simulation.world, event.node) and simulation.world.managers[event.node].role != DISCOVERING:
        begin(simulation, event.node)
    _await_sweep(simulation, _ports_of(simulation.world, event.node))


def _module_changed(simulation: Simulation[World], event: ModuleChanged) -> None:
    if event.module == _DRIVER:
        _hcas_reset(simulation, event.host)
        _await_sweep(simulation, _ports_of(simulation.world, event.host))


def _service_changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    if event.unit != UNIT:
        return
    if event.active:
        begin(simulation, event.host)
    else:
        finish(simulation, event.host)


def _hung_up(simulation: Simulation[World], event: HungUp) -> None:
    """opensm reads its file again, and sweeps."""
    if event.unit != UNIT:
        return
    settings = configuration.read_again(simulation.world, event.host)
    simulation.world.managers.update(event.host, settings=settings)
    _await_sweep(simulation)


def begin(simulation: Simulation[World], place: str) -> None:
    """A manager starts: on a node it reads its file first of all."""
    from engine.control.subnet_manager import election

    if place in simulation.world.inventory.switches:
        election.begin(simulation, place)
        _await_sweep(simulation)
        return
    reading = configuration.read(simulation.world, place)
    begin_with(simulation, place, reading.settings)
    sweep_log.said(simulation, place, (*reading.lines, *lid_file.read(simulation.world, place).lines))


def begin_with(simulation: Simulation[World], node: str, settings: configuration.Settings) -> None:
    """A manager starts on a node with these settings."""
    from engine.control.subnet_manager import election

    simulation.world.managers.update(node, settings=settings)
    election.begin(simulation, node)
    _await_sweep(simulation)


def finish(simulation: Simulation[World], place: str) -> None:
    """A manager ends, or the host under it."""
    from engine.control.subnet_manager import election

    election.end(simulation, place)


def _poll_due(simulation: Simulation[World], event: ManagerPollDue) -> None:
    from engine.control.subnet_manager import election

    if election.poll(simulation, event):
        _await_sweep(simulation)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (LinkChanged, _link_changed),
    (NodeStopping, _node_stopping),
    (NodeUp, _node_up),
    (ModuleChanged, _module_changed),
    (ServiceChanged, _service_changed),
    (SubnetSweepDue, _sweep_due),
    (ManagerPollDue, _poll_due),
    (HungUp, _hung_up),
)

"""What a subnet manager does when the fabric changes: it sweeps, gives LIDs, brings ports from Initializing to Active
and programs the switches' forwarding tables.

A port whose link was down waits as Initializing for a sweep; if no manager is at work it stays so, while all other
ports keep their LIDs and go on, as do the tables. A restarted node's ports have forgotten their LID; the manager
remembers it. Changes that come until a sweep begins are dealt with in it. Guess: a sweep begins a second after the
change (a trap of the switch starts it).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from engine.control.subnet_manager import configuration, sweep_log
from engine.control.subnet_manager.configuration import FABRIC
from engine.control.subnet_manager.lids import end_port, host_of_manager, port_guid, swapped
from engine.control.subnet_manager.managers import UNIT, Manager, managers, master
from engine.control.subnet_manager.tables import configure
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.world.events import (
    LinkChanged,
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
    from engine.control.subnet_manager.routing.sources import fabric_of_world

    world = simulation.world
    fabric = fabric_of_world(world)
    if fabric is None:
        return
    lids = _lids(fabric)
    waiting = [port for port in world.ports.changed() if _waits(world, port) and _guid(world, port) in lids]
    new = _new_ends(world, waiting)
    ends = dict.fromkeys(end_port(port) for port in changed)
    sweep_log.lost(simulation, manager, [end for end in ends if _guid(world, end) not in lids])
    _bring_up(world, waiting, lids, lids.get(manager.hca.port_guid, 0))
    rerouted, lines = configure(world, manager, fabric, gained=bool(waiting))
    sweep_log.said(simulation, manager, lines)
    sweep_log.finished(simulation, manager, new)
    if waiting or rerouted:
        simulation.publish(SubnetSwept(rerouted))


def _lids(fabric: Fabric) -> Mapping[int, int]:
    """By the port GUIDs of everything that was found."""
    guids, numbers = (*fabric.end_guids, *fabric.switch_guids), (*fabric.end_lids, *fabric.switch_lids)
    return dict(zip(guids, numbers, strict=True))


def _guid(world: World, port: str) -> int:
    return port_guid(world.inventory, end_port(port))


def _bring_up(world: World, waiting: Iterable[str], lids: Mapping[int, int], own: int) -> None:
    for port in waiting:
        guid = _guid(world, port)
        world.ports.update(end_port(port), lid=lids[guid], sm_lid=own)
        world.ports.update(port, initialized=True)


def _waits(world: World, port: str) -> bool:
    place = links.place(world.inventory, port)
    return place.number > 0 and not place.ethernet and not world.ports[port].initialized and links.link_up(world, port)


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
    known = simulation.world.subnet_manager[FABRIC]
    if known.due != simulation.now:
        return
    simulation.world.subnet_manager.update(FABRIC, due=None, changed=())
    manager = master(simulation.world)
    if manager:
        sweep(simulation, manager, known.changed)


def _await_sweep(simulation: Simulation[World], ports: tuple[str, ...] = ()) -> None:
    """Sweep soon, because of links in `ports`; together with what else has changed until then."""
    manager = master(simulation.world)
    if manager and ports:
        sweep_log.noticed(simulation, manager, ports)
    known = simulation.world.subnet_manager[FABRIC]
    due = simulation.now + _AFTER_A_CHANGE if known.due is None else known.due
    simulation.world.subnet_manager.update(FABRIC, due=due, changed=(*known.changed, *ports))
    if known.due is None:
        simulation.schedule(SubnetSweepDue(), _AFTER_A_CHANGE)


def _link_changed(simulation: Simulation[World], event: LinkChanged) -> None:
    """Both ends publish; the manager hears from switches, and of a cable between two of them from one."""
    inventory = simulation.world.inventory
    place = links.place(inventory, event.port)
    if place.ethernet:
        return
    if not event.up:
        simulation.world.ports.update(event.port, initialized=False)
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


def _node_stopping(simulation: Simulation[World], event: NodeStopping) -> None:
    _hcas_reset(simulation, event.node)
    _await_sweep(simulation, _ports_of(simulation.world, event.node))


def _node_up(simulation: Simulation[World], event: NodeUp) -> None:
    own = host_of_manager(simulation.world.inventory)
    if own and own.node == event.node:
        _read_configuration(simulation, event.node)
    _await_sweep(simulation, _ports_of(simulation.world, event.node))


def _module_changed(simulation: Simulation[World], event: ModuleChanged) -> None:
    if event.module == _DRIVER:
        _hcas_reset(simulation, event.host)
        _await_sweep(simulation, _ports_of(simulation.world, event.host))


def _service_changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    if event.unit == UNIT and event.active:
        _read_configuration(simulation, event.host)
        _await_sweep(simulation)


def _read_configuration(simulation: Simulation[World], host: str) -> None:
    """opensm has started, and does it first of all."""
    reading = configuration.read(simulation.world, host)
    simulation.world.subnet_manager.update(FABRIC, settings=reading.settings)
    for manager in managers(simulation.world):
        sweep_log.said(simulation, manager, reading.lines)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (LinkChanged, _link_changed),
    (NodeStopping, _node_stopping),
    (NodeUp, _node_up),
    (ModuleChanged, _module_changed),
    (ServiceChanged, _service_changed),
    (SubnetSweepDue, _sweep_due),
)

"""What a subnet manager does when the fabric changes: it sweeps, gives LIDs and brings ports from Initializing to
Active.

A port whose link was down waits as Initializing for a sweep; if no manager is at work it stays so, while all other
ports keep their LIDs and go on. A restarted node's ports have forgotten their LID. Rules of opensm: a known port keeps
its LID, a new one takes the lowest free. Guess: a sweep begins a second after the change (a trap of the switch starts
it).
"""

from __future__ import annotations

from engine.control.subnet_manager import sweep_log
from engine.control.subnet_manager.lids import end_port, fresh_lids, lid
from engine.control.subnet_manager.managers import UNIT, Manager, master
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.world.events import LinkChanged, ModuleChanged, NodeStopping, NodeUp, ServiceChanged, SubnetSweepDue
from engine.world.inventory import Switch
from engine.world.world import World

_AFTER_A_CHANGE = SECOND
_DRIVER = "mlx5_core"
_UNICAST_LIDS = range(1, 0xC000)


def sweep(simulation: Simulation[World], manager: Manager) -> list[str]:
    """Bring up every port that waits for it. Returns the end ports that are new since the last sweep."""
    world = simulation.world
    new = []
    for port in [port for port in world.ports.changed() if _waits(world, port)]:
        end = end_port(port)
        if end == port:
            new.append(end)
        known = lid(world, end) or fresh_lids(world.inventory).get(end) or _lowest_free(world)
        world.ports.update(end, lid=known, sm_lid=lid(world, manager.hca.port))
        world.ports.update(port, initialized=True)
    return new


def _waits(world: World, port: str) -> bool:
    place = links.place(world.inventory, port)
    return place.number > 0 and not place.ethernet and not world.ports[port].initialized and links.link_up(world, port)


def _lowest_free(world: World) -> int:
    used = set(fresh_lids(world.inventory).values())
    used |= {world.ports[port].lid or 0 for port in world.ports.changed()}
    return next(number for number in _UNICAST_LIDS if number not in used)


def _sweep_due(simulation: Simulation[World], event: SubnetSweepDue) -> None:
    manager = master(simulation.world)
    if manager is None:
        return
    if event.up:
        sweep_log.gained(simulation, manager, sweep(simulation, manager))
    else:
        gone = [port for port in event.ports if not links.link_up(simulation.world, port)]
        sweep_log.lost(simulation, manager, gone)


def _await_sweep(simulation: Simulation[World], ports: tuple[str, ...] = (), up: bool = True) -> None:
    manager = master(simulation.world)
    if manager and ports:
        sweep_log.noticed(simulation, manager, ports)
    simulation.schedule(SubnetSweepDue(ports, up), _AFTER_A_CHANGE)


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
        _await_sweep(simulation, (far,), event.up)


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
    _await_sweep(simulation, _ports_of(simulation.world, event.node), up=False)


def _node_up(simulation: Simulation[World], event: NodeUp) -> None:
    _await_sweep(simulation, _ports_of(simulation.world, event.node))


def _module_changed(simulation: Simulation[World], event: ModuleChanged) -> None:
    if event.module == _DRIVER:
        _hcas_reset(simulation, event.host)
        _await_sweep(simulation, _ports_of(simulation.world, event.host), event.loaded)


def _service_changed(simulation: Simulation[World], event: ServiceChanged) -> None:
    if event.unit == UNIT and event.active:
        _await_sweep(simulation)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (LinkChanged, _link_changed),
    (NodeStopping, _node_stopping),
    (NodeUp, _node_up),
    (ModuleChanged, _module_changed),
    (ServiceChanged, _service_changed),
    (SubnetSweepDue, _sweep_due),
)

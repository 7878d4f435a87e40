"""Forwarding tables in switches: those of the site's first sweep, and what a later sweep writes.

A manager that goes on after a loss keeps what still serves. It begins from nothing on its first sweep, and whenever
something came. A switch that it does not find keeps what it has, as do all of them when no routing engine succeeds or
the manager ends. Simplification: what was kept is read from the switches; opensm remembers what it wrote, and would not
notice an entry that somebody else changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from engine.control.subnet_manager import configuration
from engine.control.subnet_manager.configuration import FABRIC
from engine.control.subnet_manager.lids import fresh_lids, host_of_manager
from engine.control.subnet_manager.managers import Manager
from engine.world.first_sweep import FirstSweep
from engine.world.inventory import Inventory
from engine.world.records import ForwardingTable
from engine.world.world import World

if TYPE_CHECKING:
    from engine.control.subnet_manager.routing.fabric import Fabric


def first_tables(inventory: Inventory) -> Mapping[str, bytes]:
    """Tables by the names of the switches after the site's first sweep. Empty where no subnet manager is."""
    return inventory.once(("first tables",), lambda: MappingProxyType(_first_tables(inventory)))


FIRST_SWEEP = FirstSweep(fresh_lids, first_tables)


def configure(world: World, manager: Manager, fabric: Fabric, *, gained: bool) -> tuple[bool, tuple[str, ...]]:
    """Route and write the tables that differ. `gained`: a link, a port or a switch came since the manager's last sweep.

    Returns whether any table changed, and what opensm logs about it.
    """
    from engine.control.subnet_manager.routing.engines import route

    known = {switch.guid: name for name, switch in world.inventory.switches.items()}
    names = {guid: known[guid] for guid in fabric.switch_guids}
    fresh = gained or not resident(world, manager)
    previous = None if fresh else {guid: world.forwarding[name].entries for guid, name in names.items()}
    place = manager.place
    roots, dumped = configuration.root_guids(world, place), configuration.tables_file(world, place)
    routing = route(fabric, configuration.engines(world, place), roots=roots, previous=previous, dumped=dumped)
    world.subnet_manager.update(FABRIC, started=manager.since, engine=routing.engine or "")
    if routing.engine is None:
        return False, routing.lines
    changed = [_write(world, names[guid], entries) for guid, entries in routing.tables.items()]
    return any(changed), routing.lines


def resident(world: World, manager: Manager) -> bool:
    """Whether the manager has swept before: since it started, or, if it was at work already, before the site began."""
    started = world.subnet_manager[FABRIC].started
    return manager.since <= 0 if started is None else started == manager.since


def _write(world: World, switch: str, entries: bytes) -> bool:
    """Program a switch. Returns whether its table was another."""
    if world.forwarding[switch].entries == entries:
        return False
    if first_tables(world.inventory).get(switch) == entries:
        world.forwarding.forget(switch)
    else:
        world.forwarding[switch] = ForwardingTable(entries)
    return True


def _first_tables(inventory: Inventory) -> dict[str, bytes]:
    hca = host_of_manager(inventory)
    if hca is None:
        return {}
    from engine.control.subnet_manager.routing.engines import route
    from engine.control.subnet_manager.routing.sources import whole_fabric

    tables = route(whole_fabric(inventory, hca.port_guid)).tables
    return {name: tables[switch.guid] for name, switch in inventory.switches.items() if switch.guid in tables}

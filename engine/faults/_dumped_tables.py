"""What faults share that make opensm take its forwarding tables from a file: the dump that dump_fts prints on the
manager's host, as the fabric is or with other entries.
"""

from __future__ import annotations

from collections.abc import Collection

from engine.control import files
from engine.control.subnet_manager import election
from engine.control.subnet_manager.lids import management_port
from engine.control.subnet_manager.managers import port_of
from engine.control.subnet_manager.routing.dump import dump_fts_text
from engine.control.subnet_manager.routing.engines import Tables
from engine.control.subnet_manager.routing.fabric import Fabric
from engine.faults._subnet_manager import configure
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.world import World

DUMP = "/etc/opensm/lfts.conf"


def tables_now(world: World, fabric: Fabric) -> dict[int, bytes]:
    """What stands in the switches, by GUID."""
    names = {switch.guid: switch.name for switch in world.inventory.switches.values()}
    return {guid: world.forwarding[names[guid]].entries for guid in fabric.switch_guids}


def take_from_file(
    simulation: Simulation[World], host: str, fabric: Fabric, tables: Tables, without: Collection[int] = ()
) -> None:
    """Write the dump of these tables, `without` the lines of some LIDs, on the manager's host, and name it in its
    opensm.conf. Raises BreakfixError for a host without a port in the fabric.
    """
    if port_of(simulation.world, host) is None:
        raise BreakfixError(f"{host} has no port in the fabric")
    gone = tuple(f"0x{lid:04x} " for lid in without)
    lines = _dump(simulation.world, host, fabric, tables).splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith(gone))
    files.write(simulation, host, DUMP, text.encode(), uid=0, gid=0)
    configure(simulation, host, routing_engine="file", lfts_file=DUMP)


def _dump(world: World, host: str, fabric: Fabric, tables: Tables) -> str:
    inventory, start = world.inventory, port_of(world, host) or ""
    known = {switch.guid: switch for switch in inventory.switches.values()}
    switches = [known[guid] for guid in fabric.switch_guids]
    names = {switch.guid: links.description(inventory, switch) for switch in switches}
    ways = {switch.guid: election.route(world, start, management_port(switch)) for switch in switches}
    hcas = [hca for node in _hosts(world) for hca in world.node(node).hcas]
    hcas += inventory.aggregating.values()
    names |= {hca.port_guid: links.description(inventory, hca) for hca in hcas}
    order = sorted(ways, key=lambda guid: (len(ways[guid]), ways[guid]))
    routes = [(guid, ",".join(map(str, (0, *ways[guid])))) for guid in order]
    return "".join(dump_fts_text(fabric, tables, routes, names))


def _hosts(world: World) -> list[str]:
    cabled = {port.partition("/")[0] for port in world.inventory.cables}
    return [name for name in world.inventory.node_names if name in cabled]

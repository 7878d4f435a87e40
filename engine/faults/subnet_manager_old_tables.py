"""The subnet manager takes its forwarding tables from a file (routing_engine file, lfts_file): a dump that somebody
made for a test, before one of the nodes was there, and that stayed in opensm.conf.

No switch has a way to that node's adapters: links are Active and everything else works, but ibtracert to them fails and
programs get status 12. Whatever else changes in the fabric is not routed around either. opensm's log says that `file`
tables were configured; ibdiagnet -r finds the paths that are missing. Taking the setting out and a new start mend it.
"""

from __future__ import annotations

from engine.control import files
from engine.control.subnet_manager import election
from engine.control.subnet_manager.lids import lid, management_port
from engine.control.subnet_manager.managers import port_of
from engine.control.subnet_manager.routing.dump import dump_fts_text
from engine.control.subnet_manager.routing.sources import fabric_of_world
from engine.faults._subnet_manager import configure, nodes_in_reach
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.world import World

DUMP = "/etc/opensm/lfts.conf"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Write the dump without the node, and name it in opensm.conf. Raises BreakfixError where no other node is, and for
    a host without a port in the fabric.
    """
    found = nodes_in_reach(simulation.world)
    if not found:
        raise BreakfixError("the fabric has no node that could be missing in the dump")
    if port_of(simulation.world, target) is None:
        raise BreakfixError(f"{target} has no port in the fabric")
    missing = str(values["missing"] or found[0])
    files.write(simulation, target, DUMP, _dump(simulation.world, target, missing).encode(), uid=0, gid=0)
    configure(simulation, target, routing_engine="file", lfts_file=DUMP)


def _dump(world: World, target: str, missing: str) -> str:
    """What dump_fts printed on the manager's host while the node was not there."""
    inventory, start = world.inventory, port_of(world, target) or ""
    known = {switch.guid: switch for switch in inventory.switches.values()}
    fabric = fabric_of_world(world)
    switches = [known[guid] for guid in fabric.switch_guids]
    tables = {switch.guid: world.forwarding[switch.name].entries for switch in switches}
    names = {switch.guid: links.description(inventory, switch) for switch in switches}
    ways = {switch.guid: election.route(world, start, management_port(switch)) for switch in switches}
    hcas = [hca for host in _hosts(world) for hca in world.node(host).hcas]
    names |= {hca.port_guid: links.description(inventory, hca) for hca in hcas}
    order = sorted(ways, key=lambda guid: (len(ways[guid]), ways[guid]))
    routes = [(guid, ",".join(map(str, (0, *ways[guid])))) for guid in order]
    gone = tuple(f"0x{lid(world, hca.port):04x} " for hca in world.node(missing).hcas if lid(world, hca.port))
    texts = dump_fts_text(fabric, tables, routes, names)
    return "".join(line for text in texts for line in text.splitlines(keepends=True) if not line.startswith(gone))


def _hosts(world: World) -> list[str]:
    cabled = {port.partition("/")[0] for port in world.inventory.cables}
    return [name for name in world.inventory.node_names if name in cabled]


FAULT = Fault(
    id="subnet_manager.old_tables",
    title="The subnet manager's tables are those of an old file",
    targets=("node",),
    inject=inject,
    parameters=(Parameter("missing", "text", None, "The node that the dump has not (default: the first one)."),),
    doc="No way to a node whose links are Active: ibtracert fails, status 12. Take routing_engine file out, restart.",
)

"""The subnet manager takes its forwarding tables from a file (routing_engine file, lfts_file): a dump that somebody
made for a test, before one of the nodes was there, and that stayed in opensm.conf.

No switch has a way to that node's adapters: links are Active and everything else works, but ibtracert to them fails and
programs get status 12. Whatever else changes in the fabric is not routed around either. opensm's log says that `file`
tables were configured; ibdiagnet -r finds the paths that are missing. Taking the setting out and a new start mend it.
"""

from __future__ import annotations

from engine.control.subnet_manager.lids import lid
from engine.control.subnet_manager.routing.sources import fabric_of_world
from engine.faults._dumped_tables import tables_now, take_from_file
from engine.faults._subnet_manager import nodes_in_reach
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Write the dump without the node, and name it in opensm.conf. Raises BreakfixError where no other node is, and for
    a host without a port in the fabric.
    """
    world = simulation.world
    found = nodes_in_reach(world)
    if not found:
        raise BreakfixError("the fabric has no node that could be missing in the dump")
    missing, fabric = str(values["missing"] or found[0]), fabric_of_world(world)
    gone = [lid(world, hca.port) for hca in world.node(missing).hcas if lid(world, hca.port)]
    take_from_file(simulation, target, fabric, tables_now(world, fabric), gone)


FAULT = Fault(
    id="subnet_manager.old_tables",
    title="The subnet manager's tables are those of an old file",
    targets=("node",),
    inject=inject,
    parameters=(Parameter("missing", "text", None, "The node that the dump has not (default: the first one)."),),
    doc="No way to a node whose links are Active: ibtracert fails, status 12. Take routing_engine file out, restart.",
)

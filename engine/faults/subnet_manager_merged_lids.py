"""Two subnets were merged, and with them the guid2lid files of their managers: LIDs stand in the file twice.

opensm drops the second entry of each such LID (ERR 0314) and gives the port of it another LID. Everything can be
reached afterwards, but connections that stood before go on sending to the LIDs of then, and the programs die with
status 12. opensm has written its file anew, so that this happens once; jobs have to be started again.
"""

from __future__ import annotations

from engine.control import files
from engine.control.subnet_manager import lid_file
from engine.control.subnet_manager.lids import FIRST
from engine.faults._subnet_manager import nodes_in_reach, restart
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The ports of a node come first in the file, with the LIDs from 2 on, and opensm is restarted."""
    world, found = simulation.world, nodes_in_reach(simulation.world)
    node = str(values["node"] or (found[0] if found else ""))
    if node not in found:
        raise BreakfixError(f"node={node}: no node with ports in the fabric")
    lids = lid_file.remembered(world)
    guids = [hca.port_guid for hca in world.node(node).hcas if hca.port_guid in lids]
    theirs = {guid: FIRST + number for number, guid in enumerate(guids, 1)}
    ours = {guid: lid for guid, lid in lids.items() if guid not in theirs}
    content = lid_file.text(theirs) + lid_file.text(ours)
    files.write(simulation, target, lid_file.FILE, content.encode(), uid=0, gid=0)
    restart(simulation, target)


FAULT = Fault(
    id="subnet_manager.merged_lids",
    title="Two subnets were merged, and LIDs are given twice in guid2lid",
    targets=("node",),
    inject=inject,
    parameters=(Parameter("node", "text", None, "The node that came from the other subnet (default: the first one)."),),
    doc="ERR 0314 in opensm.log when opensm starts; ports change their LIDs, running jobs die. Start them again.",
)

"""The subnet manager has run out of LIDs: guid2lid, copied from fabric to fabric for years and never cleaned, has an
entry for every LID, and one node's ports are not in it.

opensm keeps the LIDs of absent ports. When it starts, the node's ports lose theirs, for those belong to others in the
file: their links stay Active with LID 0, no table leads to them, programs get status 12. opensm.log has ERR 0307 and
3A04. A guid2lid without the entries of ports that are long gone, or none, and a new start of opensm mend it.
"""

from __future__ import annotations

from engine.control import files
from engine.control.subnet_manager import lid_file
from engine.control.subnet_manager.routing.fabric import UNICAST_LIDS
from engine.faults._subnet_manager import nodes_in_reach, restart
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.errors import BreakfixError
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.world.world import World

_VENDOR = 0x946DAE03 << 32


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Write the file without the node, and restart opensm. Raises BreakfixError for a node that has no LIDs."""
    world, found = simulation.world, nodes_in_reach(simulation.world)
    node = str(values["node"] or (found[0] if found else ""))
    if node not in found:
        raise BreakfixError(f"node={node}: no node with ports in the fabric")
    own = {hca.port_guid for hca in world.node(node).hcas}
    lids = {guid: lid for guid, lid in lid_file.remembered(world).items() if guid not in own}
    taken, seed = set(lids.values()), hash64(world.seed, "ports that are gone") % 0xFFFF << 16
    gone = {_VENDOR + seed + lid: lid for lid in UNICAST_LIDS if lid not in taken}
    files.write(simulation, target, lid_file.FILE, lid_file.text(gone | lids).encode(), uid=0, gid=0)
    restart(simulation, target)


FAULT = Fault(
    id="subnet_manager.lids_exhausted",
    title="The subnet manager has no LIDs left",
    targets=("node",),
    inject=inject,
    parameters=(Parameter("node", "text", None, "The node that is not in the file (default: the first one)."),),
    doc="Ports are Active with LID 0; ERR 0307 in opensm.log. Remove guid2lid and restart opensm.",
)

"""The kernel of a host may keep few entries in its neighbour table (net.ipv4.neigh.default.gc_thresh3), fewer than
hosts that it exchanges RDMA with: the others cannot be resolved. `neighbor table overflow!` stands in the kernel's log.
"""

from __future__ import annotations

from engine.control import files, neighbours, sysctl
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Set the limit, and leave it behind for the next boot."""
    limit = int(values["limit"] or 0)
    text = f"net.ipv4.neigh.default.gc_thresh3 = {limit}\n"
    files.write(simulation, target, "/etc/sysctl.d/60-hardening.conf", text.encode(), uid=0, gid=0)
    sysctl.SetSysctl(target, neighbours.LIMIT, str(limit)).perform(simulation)


FAULT = Fault(
    id="host.neighbour_table_small",
    title="A host's neighbour table is too small",
    targets=("roce_node",),
    inject=inject,
    parameters=(Parameter("limit", "integer", "64", "Entries at most.", least=8, most=1024),),
    doc="Connections to some hosts fail: Connection timed out, No buffer space. Raise gc_thresh3, and the file's line.",
)

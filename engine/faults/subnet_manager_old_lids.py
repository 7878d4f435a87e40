"""A subnet manager that stands by has an old guid2lid file and is told to keep to it (honor_guid2lid_file TRUE).

Nothing is seen of it until it takes over: then it gives ports the LIDs of its file. Links stay Active and everything
can be reached, but connections that stood before go on sending to the LIDs of then: programs on the ports that have got
others die with status 12. Without the setting, or with an empty file, a takeover leaves all LIDs as they are.
"""

from __future__ import annotations

from engine.control import files, systemd
from engine.control.subnet_manager import lid_file
from engine.control.subnet_manager.managers import UNIT
from engine.faults._subnet_manager import configure, exchange_lids, nodes_in_reach
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Two nodes had each other's LIDs when the file was written; the manager starts, and stands by."""
    found = nodes_in_reach(simulation.world)
    if len(found) < 2:
        raise BreakfixError("the fabric has no two nodes whose LIDs could be exchanged")
    lids = exchange_lids(simulation.world, str(values["first"] or found[0]), str(values["second"] or found[1]))
    files.write(simulation, target, lid_file.FILE, lid_file.text(lids).encode(), uid=0, gid=0)
    configure(simulation, target, sm_priority="10", honor_guid2lid_file="TRUE")
    simulation.apply(systemd.StartUnit(target, UNIT, ""))
    simulation.apply(systemd.EnableUnit(target, UNIT, ""))


FAULT = Fault(
    id="subnet_manager.old_lids",
    title="The subnet manager that stands by brings old LIDs with it",
    targets=("node",),
    inject=inject,
    parameters=(
        Parameter("first", "text", None, "A node whose LIDs were others (default: the first one)."),
        Parameter("second", "text", None, "The node that had them (default: the next one)."),
    ),
    doc="At a takeover ports get other LIDs and running jobs die. Set honor_guid2lid_file FALSE, restart the standby.",
)

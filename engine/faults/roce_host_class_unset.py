"""Nothing gives a host's RoCE packets their traffic class: programs that do not ask for one send with DSCP 0. The whole
way treats them as best effort, without pause and marks: they go at full rate one to one, and collapse with others.
"""

from __future__ import annotations

from engine.faults._roce_host import change_file
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Take the lines out of the file."""
    change_file(simulation, target, TRAFFIC_CLASS=None, CMA_TOS=None)


FAULT = Fault(
    id="roce.host_class_unset",
    title="A host sends RoCE without its DSCP",
    targets=("roce_node",),
    inject=inject,
    doc=(
        "What the host sends is in priority 0 on the whole way. Set traffic_class to the site's 106 (sysfs), and "
        "in the file."
    ),
)

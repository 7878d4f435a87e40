"""Priority flow control is off on a host while its switch has it: pause that the switch sends is not obeyed, and the
host sends none. Its rx_prio3_pause counters are gone, for mlx5 shows them only where PFC is on; the switch goes on
counting.
"""

from __future__ import annotations

from engine.faults._roce_host import change_file, list_of
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Switch PFC off."""
    change_file(simulation, target, PFC=list_of())


FAULT = Fault(
    id="roce.host_pfc_off",
    title="PFC is on at one end only: the host has it off",
    targets=("roce_node",),
    inject=inject,
    doc=(
        "RoCE packets are dropped under congestion. Switch PFC on for the site's priority, in /etc/default/roce- "
        "qos too."
    ),
)

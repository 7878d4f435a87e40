"""A host has priority flow control on another priority than the switches: its adapters neither send nor obey pause for
RoCE's. While nothing queues nobody notices; under congestion what the switch would hold back is lost, and a receiver
that cannot follow drops (rx_prio3_discards) instead of pausing. mlnx_qos shows the priority.
"""

from __future__ import annotations

from engine.faults._roce_host import change_file, list_of
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Move PFC to the other priority."""
    change_file(simulation, target, PFC=list_of(int(values["priority"] or 0)))


FAULT = Fault(
    id="roce.host_pfc_priority",
    title="A host has PFC on the wrong priority",
    targets=("roce_node",),
    inject=inject,
    parameters=(Parameter("priority", "integer", "4", "The priority that the host pauses.", least=0, most=7),),
    doc="RoCE packets are dropped under congestion. Put PFC back to the site's priority, in /etc/default/roce-qos too.",
)

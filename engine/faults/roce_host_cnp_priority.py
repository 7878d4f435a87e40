"""A host sends its congestion notifications (CNP) with the DSCP and in the priority of the data. They wait in the
queues that they are to shorten, and senders slow down late: queues grow until pause stops them.
"""

from __future__ import annotations

from engine.faults._roce_host import change_file
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Put notifications beside the data."""
    change_file(simulation, target, CNP_DSCP="26", CNP_PRIO="3")


FAULT = Fault(
    id="roce.host_cnp_priority",
    title="A host sends congestion notifications in the priority of the data",
    targets=("roce_node",),
    inject=inject,
    doc=(
        "Notifications come late, pause frames grow. cnp_dscp 48 and cnp_802p_prio 6 below ecn/roce_np, and in the "
        "file."
    ),
)

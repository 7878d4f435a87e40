"""A host's adapters do not take part in congestion control: as receivers they tell nobody of marks (NP), as senders
they do not slow down (RP). Marks come in and np_cnp_sent stands still; pause has to do the work, and spreads.
"""

from __future__ import annotations

from engine.faults._roce_host import change_file, list_of
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Switch both points off for all priorities."""
    change_file(simulation, target, ECN_NP=list_of(), ECN_RP=list_of())


FAULT = Fault(
    id="roce.host_ecn_off",
    title="A host's congestion control (ECN) is off",
    targets=("roce_node",),
    inject=inject,
    doc="Flows to and from the host do not slow down when they are marked. Switch ecn/roce_np and roce_rp on again.",
)

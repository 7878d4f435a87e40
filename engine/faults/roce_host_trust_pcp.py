"""A host's adapters trust the priority in VLAN tags instead of the DSCP. Packets without a tag are then in priority 0:
what the host sends waits in the wrong queue, pause for RoCE's priority stops another one, and all bytes are counted in
prio0. The switches read the DSCP as before, so that the far end sees them in its own priority.
"""

from __future__ import annotations

from engine.faults._roce_host import change_file
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Trust the tag."""
    change_file(simulation, target, TRUST="pcp")


FAULT = Fault(
    id="roce.host_trust_pcp",
    title="A host's adapters do not trust the DSCP",
    targets=("roce_node",),
    inject=inject,
    doc=(
        "All RoCE bytes are in priority 0 on that host, which nobody keeps lossless. mlnx_qos --trust dscp, and "
        "TRUST=dscp in the file."
    ),
)

"""A BMC's clock is wrong (an empty battery, no time server): entries of its event log bear wrong times, and do not fit
to the host's journal. Setting the time, or a start of the node, in which the BIOS sets it, mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The clock jumps."""
    simulation.world.bmcs.update(target, clock_skew=int(values["seconds"] or 0) * SECOND)


FAULT = Fault(
    id="bmc.clock_wrong",
    title="A BMC's clock is wrong",
    targets=("node",),
    inject=inject,
    parameters=(
        Parameter("seconds", "integer", "-25200", "What it is ahead (behind: negative).", least=-(10**9), most=10**9),
    ),
    doc="New entries of the event log have wrong times. ipmitool sel time set now mends it.",
)

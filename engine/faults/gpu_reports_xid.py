"""A GPU reports an Xid for which no report of users tells what is behind it: 61 (a breakpoint of its power management
unit), 62 (that unit has halted), 140 (an ECC error that nobody handled), 143 (its initialisation failed).

What follows stands in NVIDIA's catalogue: 62 and 140 end all work on the GPU, 62, 140 and 143 ask for a reset, 61 for
nothing. Xid 121 is of links between chips, which no board here has; 92 comes with gpu.memory_slow.
"""

from __future__ import annotations

from engine.control import gpu_errors
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """It comes once, at once."""
    gpu_errors.strike(simulation, target, int(values["xid"] or 0))


FAULT = Fault(
    id="gpu.reports_xid",
    title="A GPU reports a rare Xid",
    targets=("gpu",),
    inject=inject,
    parameters=(Parameter("xid", "choice", "62", "Which Xid.", ("61", "62", "140", "143")),),
    doc="One Xid without memory errors or links behind it. A reset clears what it asks for.",
)

"""An NVSwitch has a fatal error (an SXid of the fabric manager guide's class `always fatal`): its links are gone, every
GPU of the node reports failed NVLinks (Xid 74), and all work on them ends.

Resetting all GPUs, or a restart of the node, brings the links back.
"""

from __future__ import annotations

from engine.control import gpu_errors
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The switch fails now."""
    node, _, part = target.partition("/")
    gpu_errors.fail_switch(simulation, node, int(part.removeprefix("nvswitch")), int(values["sxid"] or 0))


FAULT = Fault(
    id="nvswitch.fatal",
    title="An NVSwitch has a fatal error",
    targets=("nvswitch",),
    inject=inject,
    parameters=(
        Parameter("sxid", "choice", "12020", "Which SXid it reports.", ("12020", "22003", "23001", "23004", "23009")),
    ),
    doc="SXid in the kernel log, Xid 74 at every GPU, links inactive. Resetting all GPUs, or a restart, mends it.",
)

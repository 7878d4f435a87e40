"""A GPU met an error that could have spread anywhere (Xid 95): all work on it ended, and it wants a reset before it
takes more. Its ECC counters say nothing: the tags of its cache found the error. Whoever watches counters alone, or
was down when the Xid came, takes it for healthy; new programs get CUDA error 46 (scitix/sichek#121).

A reset or a restart of the node clears it.
"""

from __future__ import annotations

from engine.control import gpu_errors
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """It comes once, at once."""
    gpu_errors.uncontained(simulation, target)


FAULT = Fault(
    id="gpu.uncontained_error",
    title="A GPU waits for a reset after an uncontained error",
    targets=("gpu",),
    inject=inject,
    doc="Xid 95 once, no counter moves, recovery action Reset; new programs find the device busy. A reset clears it.",
)

"""A kernel on a GPU ends in an exception (Xid 13) and its channel is not switched any more: five seconds later Xid 109,
and the program ends (leptonai/gpud#46). Usually the program's mistake; where the same GPU does it under other programs,
the GPU's.

A GPU that stays `stuck` wants a reset and works no more until then. With `every` it returns under load.
"""

from __future__ import annotations

from engine.faults._repeating import EVERY, TIMES, repetition
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import board_defects
from engine.world.records import BoardDefect
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """It takes work: on an idle GPU it waits for some."""
    repeated = repetition(values)
    kind = board_defects.CONTEXT_STUCK if values["stuck"] == "yes" else board_defects.CONTEXT
    board_defects.plant(simulation, target, BoardDefect(kind, every=repeated.every, left=repeated.times))


FAULT = Fault(
    id="gpu.context_timeout",
    title="A GPU's context switch times out",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter("stuck", "choice", "no", "Whether the GPU stays stuck until a reset.", ("no", "yes")),
        EVERY,
        TIMES,
    ),
    doc="Xid 13 and 109, and the program ends. A stuck GPU needs a reset; one that returns to it, a new board.",
)

"""The inlet filter of a node is clogged with dust: all of its GPUs get less air although every fan turns, and fast."""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics.air import block_filter
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Clog the filter."""
    block_filter(simulation, target, int(values["percent"] or 0) * 10)


FAULT = Fault(
    id="cooling.filter_clogged",
    title="A node's inlet filter is clogged",
    targets=("node",),
    inject=inject,
    parameters=(Parameter("percent", "integer", "45", "How much of the air it keeps out.", least=1, most=95),),
    doc="All GPUs of the node run hotter and its fans faster, in air as cool as ever. Cleaning the filter mends it.",
)

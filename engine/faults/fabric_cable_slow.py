"""A cable cannot pass the rate of its ends, so the link trains at the next lower generation (NVIDIA/nccl#307: adapters
of 200 Gb/s on cables for 100). It works without an error, at half or a quarter of the rate; a new cable mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The link trains anew."""
    found = simulation.world.inventory.cables[target]
    links.change_cable(simulation, found, rate_limit=int(values["rate"] or 0) or None)


FAULT = Fault(
    id="fabric.cable_slow",
    title="A link runs below the rate of its ports",
    targets=("port",),
    inject=inject,
    parameters=(Parameter("rate", "choice", "200", "Gb/s that the cable passes.", ("100", "200")),),
    doc="ibstat and iblinkinfo show the lower rate. Replacing the cable mends it.",
)

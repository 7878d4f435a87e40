"""A power supply of a node fails. The others carry the node as long as there are enough of them; the BMC logs the
failure, and that the redundancy is less.

`dead` is gone for good and has to be replaced. `latched` is whole: it has switched itself off after a disturbance and
comes back when somebody pulls it and pushes it in again.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import supplies
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The supply gives nothing any more."""
    supplies.change_psu(simulation, target, failed=True, latched=values["how"] == "latched")


FAULT = Fault(
    id="power.supply_failed",
    title="A power supply fails",
    targets=("psu",),
    inject=inject,
    parameters=(
        Parameter(
            "how", "choice", "dead", "Whether it is broken, or has only switched itself off.", ("dead", "latched")
        ),
    ),
    doc="Redundancy is less; with fewer than four of six a node's GPUs are braked. Replacing the supply mends it.",
)

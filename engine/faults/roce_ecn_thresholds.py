"""The thresholds of ECN on a switch are absurd: somebody mistook units, or copied them from a slower network.

`early`: marking begins with a few kB in the queue; senders slow down too much, links run dry (three quarters of their
rate at worst) although nothing is lost. `late`: marking begins behind the point at which pause goes out, which is as if
ECN was off. Thresholds that suit the rate mend it.
"""

from __future__ import annotations

from engine.faults import _ethernet
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.world import World

_EARLY: settings.Changes = (("mark_from", 1_500), ("mark_top", 15_000))
_LATE: settings.Changes = (("mark_from", 150_000_000), ("mark_top", 160_000_000))


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """All ports of the switch mark along another line."""
    line = _EARLY if values["kind"] == "early" else _LATE
    simulation.apply(settings.SetPortQos(_ethernet.ports_of(simulation.world.inventory, target), line))


FAULT = Fault(
    id="roce.ecn_thresholds",
    title="Absurd ECN thresholds on a switch",
    targets=("ethernet_switch",),
    inject=inject,
    parameters=(
        Parameter(
            "kind", "choice", "early", "Marks come too early, or behind the point of pause.", choices=("early", "late")
        ),
    ),
    doc="Links that are shared stay below their rate, or pause takes the place of marks. Thresholds have to be set.",
)

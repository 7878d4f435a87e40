"""The cooler of one GPU touches the chip badly (thermal paste that has dried, loose screws): it is warm when idle, and
under load it reaches its limits and slows down, while its neighbours in the same air are cool.

Another board mends it, and so does seating the module anew, which renews the contact (guess).
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.events import GpuSettingsChanged
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The contact is bad from now on."""
    simulation.world.gpus.update(target, contact_permille=int(values["resistance"] or 100) * 10)
    simulation.publish(GpuSettingsChanged(target.partition("/")[0]))


FAULT = Fault(
    id="gpu.cooler_loose",
    title="A GPU's cooler touches it badly",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter("resistance", "integer", "220", "Its thermal resistance, percent of usual.", least=101, most=1000),
    ),
    doc="One GPU is hot and slow (thermal slowdown) in air in which others are cool. Reseat or replace it.",
)

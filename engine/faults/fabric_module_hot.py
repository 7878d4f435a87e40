"""A transceiver gets hotter and hotter (its heat sink has lost contact): past its warning temperature its light has
errors, five degrees later it switches itself off, and both of its ports lose their links.

mlxlink -m shows the temperature, the kernel of a host tells of the warning. A switched off module starts again when it
is reseated, and gets hot again; a new one mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import optics
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """It takes twenty minutes until it is as hot as it gets."""
    optics.heat(simulation, target, 1000 * int(values["by"] or 0))


FAULT = Fault(
    id="fabric.module_hot",
    title="A transceiver overheats",
    targets=("fibre",),
    inject=inject,
    parameters=(Parameter("by", "integer", "40", "How many °C hotter than usual it gets.", least=10, most=60),),
    doc="mlxlink -m shows the temperature; beyond 75 °C errors, beyond 80 °C no link. A new transceiver mends it.",
)

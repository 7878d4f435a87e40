"""Bad cells of a GPU's HBM are read again and again: corrected errors grow while it works, and retries take away part
of its memory's bandwidth. No program ends; what is bound by memory is slow on this GPU alone, and a job with it.

How much bandwidth corrected errors can cost is a guess. A reset or a restart changes nothing, a new board mends it.
"""

from __future__ import annotations

from engine.faults._repeating import WHEN, repetition
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import board_defects
from engine.world.events import GpuSettingsChanged
from engine.world.records import BoardDefect
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The cells are bad from now on."""
    repeated = repetition(values)
    simulation.world.gpus.update(target, memory_permille=int(values["bandwidth"] or 0) * 10)
    bad = BoardDefect(
        board_defects.CORRECTED,
        every=int(values["every"] or SECOND),
        under_load=repeated.under_load,
        amount=int(values["errors"] or 1),
    )
    board_defects.plant(simulation, target, bad)
    simulation.publish(GpuSettingsChanged(target.partition("/")[0]))


FAULT = Fault(
    id="gpu.memory_slow",
    title="A GPU's memory is slowed by corrected errors",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter("bandwidth", "integer", "70", "What is left of its bandwidth, in percent.", least=5, most=99),
        Parameter("errors", "integer", "40", "Corrected errors each time (1000 and more bring Xid 92).", least=1),
        Parameter("every", "duration", "1m", "How often they are counted on average.", least=SECOND),
        WHEN,
    ),
    doc="DRAM Correctable grows under load; copies within the GPU are slow. Replacing the GPU mends it.",
)

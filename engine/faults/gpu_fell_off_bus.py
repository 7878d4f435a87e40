"""A GPU stops answering on the PCIe bus, and will again until what is wrong with it is mended.

A warm restart or a reset does not bring it back. Reports of such boards differ about a cold start: some come back for
a while, some do not; a badly seated one is cured by reseating it. Shares and times are guesses.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics.gpu_bus import plant_defect
from engine.world.records import BusDefect
from engine.world.world import World

_SEATING_IN_TEN = 3
_COMES_BACK_IN_TEN = 6
_HOLDS_MINUTES = (20, 90)


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Give the board, or its seat, the defect."""
    plant_defect(simulation, target, defect(simulation, target, values))


def defect(simulation: Simulation[World], target: str, values: Values) -> BusDefect:
    """What is wrong with the board: what the parameters do not say is drawn."""
    chance = simulation.stream(f"bus defect/{target}/{simulation.world.gpus[target].serial}")
    seating_drawn, comes_back = chance.chance(_SEATING_IN_TEN, 10), chance.chance(_COMES_BACK_IN_TEN, 10)
    drawn = chance.integer(*_HOLDS_MINUTES) * MINUTE if comes_back else None
    cause, holds = values["cause"], values["holds"]
    seating = seating_drawn if cause is None else cause == "seating"
    if holds is None:
        lasts = drawn
    else:
        lasts = int(holds) or None
    return BusDefect(holds_after_cold_start=lasts, seating=seating)


FAULT = Fault(
    id="gpu.fell_off_bus",
    title="A GPU falls off the PCIe bus",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter(
            "cause", "choice", None, "What is bad, the board or its seat; drawn if not given.", ("board", "seating")
        ),
        Parameter(
            "holds", "duration", None, "How long a cold start revives it (0: not at all); drawn if not given.", least=0
        ),
    ),
    doc="Only a cold start may revive it, for a while. A new board mends it; reseating does where the seat is bad.",
)

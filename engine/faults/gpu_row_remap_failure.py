"""A GPU can no longer repair its memory: a row that lost data cannot be remapped (Xid 64), and the failure flag is set.

Why is the bank's eight spare rows, the GPU's 512 remappings, or a spare row that is bad itself (NVIDIA's guide to GPU
memory errors). The flag outlasts every reset; a new board mends it.
"""

from __future__ import annotations

from engine.faults._repeating import EVERY, TIMES, WHEN, repetition
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import board_defects
from engine.physics.gpu_memory import BANK_FULL, MOST_REMAPPED, REMAPPED_ROW, SPARE_ROWS, TABLE_FULL, wear_bank
from engine.world.records import BoardDefect
from engine.world.world import World

_WHY = {"bank": BANK_FULL, "table": TABLE_FULL, "spare": REMAPPED_ROW}


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The board has been repaired often before; now a row more is bad."""
    repeated, why = repetition(values), _WHY[str(values["why"])]
    rows = {BANK_FULL: SPARE_ROWS, TABLE_FULL: 0, REMAPPED_ROW: 1}[why]
    if why == TABLE_FULL:
        while simulation.world.gpus[target].remap.uncorrectable < MOST_REMAPPED:
            wear_bank(simulation, target, 1)
    else:
        wear_bank(simulation, target, rows)
    kind = board_defects.BAD_ROW if why == REMAPPED_ROW else board_defects.DRAM
    bad = BoardDefect(
        kind, every=repeated.every, left=repeated.times, under_load=repeated.under_load, place=1, rows=rows
    )
    board_defects.plant(simulation, target, bad)


FAULT = Fault(
    id="gpu.row_remap_failure",
    title="A GPU cannot remap a bad row of its memory",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter(
            "why",
            "choice",
            "bank",
            "What is used up: the spares of the bank, the table, or a spare row is bad itself.",
            tuple(_WHY),
        ),
        EVERY,
        TIMES,
        WHEN,
    ),
    doc="Remapping Failure Occurred stays through resets and restarts. Replacing the GPU mends it.",
)

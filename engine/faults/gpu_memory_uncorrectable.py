"""A row of a GPU's HBM goes bad: a word is lost that ECC cannot mend (Xid 48), the row is marked for remapping (63),
and what met the lost data ends (94), or all on the GPU where it may have spread (95).

A reset makes the remapping effective and the GPU is well again, if only one row was bad. With `every` the bank dies:
rows fail until its eight spares are used up and remapping fails (64), as in a report of a board whose repair could not
keep up (wtdcode/vllm-backport#62); only a new board mends that.
"""

from __future__ import annotations

from engine.faults._repeating import EVERY, TIMES, WHEN, repetition
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import board_defects, gpu_memory
from engine.world.records import BoardDefect
from engine.world.world import World

_CONTAINED, _UNCONTAINED = "contained", "uncontained"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Give a bank of the board's memory bad cells; some of its rows may have been remapped before."""
    repeated, used = repetition(values), int(values["remapped"] or 0)
    gpu_memory.wear_bank(simulation, target, used)
    bad = BoardDefect(
        board_defects.DRAM,
        every=repeated.every,
        left=repeated.times,
        under_load=repeated.under_load,
        rows=used,
        contained=values["spread"] == _CONTAINED,
    )
    board_defects.plant(simulation, target, bad)


FAULT = Fault(
    id="gpu.memory_uncorrectable",
    title="A GPU's memory has an uncorrectable error",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter(
            "spread",
            "choice",
            _CONTAINED,
            "Whether only the program that met it ends (Xid 94), or all on the GPU (95).",
            (_CONTAINED, _UNCONTAINED),
        ),
        Parameter("remapped", "integer", "0", "Rows of the bank that were remapped before.", least=0, most=8),
        EVERY,
        TIMES,
        WHEN,
    ),
    doc="Remapping is pending until a reset or restart. With `every` it goes on until a new board is in.",
)

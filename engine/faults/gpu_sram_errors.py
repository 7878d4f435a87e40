"""A GPU's SRAM (caches, register files) loses data: it cannot be remapped, and beyond a threshold of events in the
board's life (more than four parity, more than two SEC-DED; NVIDIA's guide to GPU memory errors) it asks for a new
board.
"""

from __future__ import annotations

from engine.faults._repeating import EVERY, WHEN, repetition
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import board_defects, gpu_memory
from engine.world.records import BoardDefect
from engine.world.world import World

_PROTECTION = {"parity": gpu_memory.PARITY, "secded": gpu_memory.SECDED}
_COUNTED = {"parity": "sram_uncorrected_parity", "secded": "sram_uncorrected_secded"}
_CONTAINED, _UNCONTAINED = "contained", "uncontained"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The board has met some such errors before; from now on it meets more."""
    protection, before = str(values["protection"]), int(values["before"] or 0)
    if before:
        gpu_memory.count(simulation, target, **{_COUNTED[protection]: before})
    repeated = repetition(values)
    bad = BoardDefect(
        board_defects.SRAM,
        every=repeated.every,
        left=repeated.times,
        under_load=repeated.under_load,
        place=_PROTECTION[protection],
        contained=values["spread"] == _CONTAINED,
    )
    board_defects.plant(simulation, target, bad)


FAULT = Fault(
    id="gpu.sram_errors",
    title="A GPU's SRAM has uncorrectable errors",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter("protection", "choice", "parity", "How the bad words are protected.", tuple(_PROTECTION)),
        Parameter(
            "spread",
            "choice",
            _CONTAINED,
            "Whether only the program that met it ends (Xid 94), or all on the GPU (95).",
            (_CONTAINED, _UNCONTAINED),
        ),
        Parameter("before", "integer", "0", "Errors that it has counted since the last reset.", least=0, most=50),
        EVERY,
        Parameter("times", "integer", None, "How many times it shows; for good if only `every` is given.", least=1),
        WHEN,
    ),
    doc="Xid 48 and 94 or 95, no remapping. SRAM Threshold Exceeded asks for another board; a new one mends it.",
)

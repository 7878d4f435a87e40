"""A GPU's firmware (GSP) answers the driver no more: calls wait six seconds in vain (Xid 119 with whoever asked, also
an innocent nvidia-smi), and the third marks the GPU for reset; or it crashes, which ends all work on the GPU (Xid 120).

A reset or a restart of the node frees it. With `every` it comes back under load: a board, or a driver, with a defect.
Reports: Azure/azurehpc#714, NVIDIA/open-gpu-kernel-modules#446.
"""

from __future__ import annotations

from engine.faults._repeating import ALWAYS, EVERY, TIMES, WHEN, repetition
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import board_defects
from engine.world.records import BoardDefect
from engine.world.world import World

_HOW = {"stall": board_defects.GSP_STALL, "crash": board_defects.GSP_CRASH}


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The firmware stops."""
    repeated = repetition(values)
    bad = BoardDefect(
        _HOW[str(values["how"])], every=repeated.every, left=repeated.times, under_load=repeated.under_load
    )
    board_defects.plant(simulation, target, bad)


FAULT = Fault(
    id="gpu.gsp_timeout",
    title="A GPU's firmware stops answering",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter("how", "choice", "stall", "Whether calls wait in vain, or the firmware crashes.", tuple(_HOW)),
        EVERY,
        TIMES,
        Parameter("when", "choice", ALWAYS, WHEN.doc, WHEN.choices),
    ),
    doc="nvidia-smi blocks for seconds, Xid 119 or 120, recovery action Reset. A reset frees it.",
)

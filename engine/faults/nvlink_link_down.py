"""An NVLink of a GPU goes down: Xid 74 (149 on Blackwell) at the GPU, SXid 20034 at the NVSwitch, and what works on the
GPU ends with an NVLink error. Until a reset the link is inactive and the GPU's collectives are slower.

A link that failed by chance trains again with a reset; a broken one (`cause` board or seating) does not, and needs a
new board, or its module seated well. With `every` it fails again under load.
"""

from __future__ import annotations

from engine.faults._repeating import EVERY, TIMES, WHEN, repetition
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import board_defects, nvlink_errors
from engine.world.records import BoardDefect
from engine.world.world import World

_CHANCE, _BOARD, _SEATING = "chance", "board", "seating"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The link fails now, or with the next work."""
    links = simulation.world.inventory.gpu(target).product.nvlinks
    if not links:
        return
    drawn = simulation.stream(f"nvlink down/{target}").integer(0, links - 1)
    link = drawn if values["link"] is None else int(values["link"]) % links
    if values["cause"] != _CHANCE:
        nvlink_errors.break_link(simulation, target, link, badly_seated=values["cause"] == _SEATING)
        return
    repeated = repetition(values)
    bad = BoardDefect(
        board_defects.LINK_DOWN,
        every=repeated.every,
        left=repeated.times,
        under_load=repeated.under_load,
        place=link,
    )
    board_defects.plant(simulation, target, bad)


FAULT = Fault(
    id="nvlink.link_down",
    title="An NVLink of a GPU goes down",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter("link", "integer", None, "Which link; drawn if not given.", least=0, most=17),
        Parameter(
            "cause", "choice", _CHANCE, "Why: by chance, or the board or its seat is bad.", (_CHANCE, _BOARD, _SEATING)
        ),
        EVERY,
        TIMES,
        WHEN,
    ),
    doc="nvidia-smi nvlink -s shows the link inactive. A reset trains it again, unless the board or its seat is bad.",
)

"""An NVLink of a GPU has a bad signal: checksums fail on one of its lanes and packets are sent again, the more the link
is used. Nothing is lost and nothing ends; the counters tell which link it is.

A reset sets the counters to zero, and they grow again. A new board mends it. Rates are guesses.
"""

from __future__ import annotations

from engine.faults._repeating import WHEN, repetition
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import board_defects
from engine.world.records import BoardDefect
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The lane is bad from now on."""
    links = simulation.world.inventory.gpu(target).product.nvlinks
    if not links:
        return
    drawn = simulation.stream(f"nvlink errors/{target}").integer(0, links - 1)
    bad = BoardDefect(
        board_defects.LINK_ERRORS,
        every=int(values["every"] or SECOND),
        under_load=repetition(values).under_load,
        amount=int(values["errors"] or 1),
        place=drawn if values["link"] is None else int(values["link"]) % links,
    )
    board_defects.plant(simulation, target, bad)


FAULT = Fault(
    id="nvlink.errors",
    title="An NVLink of a GPU has checksum errors",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter("link", "integer", None, "Which link; drawn if not given.", least=0, most=17),
        Parameter("errors", "integer", "25", "Wrong checksums each time.", least=1),
        Parameter("every", "duration", "1m", "How often they are counted on average.", least=SECOND),
        WHEN,
    ),
    doc="nvidia-smi nvlink -e shows replays and CRC errors that grow under load. Replacing the GPU mends it.",
)

"""The PCIe link of a GPU or a network card trains narrower or slower than both ends can: dirty contacts, a bad seat.

Nothing fails; every transfer over that link is slower by the factor of its width. It stays so over restarts and is
mended by reseating the part.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics.pcie import limit_link
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The link trains anew at what is left."""
    world, node = simulation.world, target.partition("/")[0]
    parts = {gpu.id: gpu.address for gpu in world.node(node).gpus}
    parts |= {hca.id: hca.address for hca in world.node(node).hcas}
    generation = values["generation"]
    limit_link(
        simulation,
        node,
        parts[target],
        generation=None if generation is None else int(generation),
        width=int(values["width"] or 0) or None,
    )


FAULT = Fault(
    id="pcie.link_degraded",
    title="A PCIe link runs below its width or speed",
    targets=("gpu", "hca"),
    inject=inject,
    parameters=(
        Parameter("width", "choice", "8", "Lanes that are left.", ("1", "2", "4", "8", "16")),
        Parameter("generation", "choice", None, "The fastest generation that is left.", ("1", "2", "3", "4", "5")),
    ),
    doc="lspci shows the link downgraded. Reseating the part mends it.",
)

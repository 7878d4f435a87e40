"""NVLinks of a GPU did not come up when they were last trained: they are inactive, without an Xid, as nothing failed at
work. Collectives in the node run over PCIe or a fraction of the links; a quick diagnostic does not look at links and
passes (NVIDIA/DCGM#198, Azure/azhpc-diagnostics#73).

Where it was chance, a reset of the GPU or a restart of the node trains them; where the board or its seat is bad, it
does not, and the driver then says which link failed to train (Xid 74, or 149 on Blackwell).
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import nvlink_errors
from engine.world.world import World

_CHANCE, _BOARD, _SEATING = "chance", "board", "seating"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The links are down as of now, and nobody noticed."""
    links = simulation.world.inventory.gpu(target).product.nvlinks
    if not links:
        return
    wanted = links if values["links"] is None else min(int(values["links"]), links)
    chosen = simulation.stream(f"nvlink untrained/{target}").shuffled(range(links))[:wanted]
    cause = values["cause"]
    nvlink_errors.leave_untrained(simulation, target, chosen, broken=cause != _CHANCE, badly_seated=cause == _SEATING)


FAULT = Fault(
    id="nvlink.untrained",
    title="NVLinks of a GPU did not train",
    targets=("gpu",),
    inject=inject,
    parameters=(
        Parameter("links", "integer", None, "How many of them; all if not given.", least=1, most=18),
        Parameter(
            "cause", "choice", _CHANCE, "Why: by chance, or the board or its seat is bad.", (_CHANCE, _BOARD, _SEATING)
        ),
    ),
    doc="Links inactive in nvidia-smi nvlink -s, no Xid, diag -r 2 passes. A reset trains them, unless parts are bad.",
)

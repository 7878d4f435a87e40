"""Take a part out of its socket and put it back. It mends what was badly seated, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from engine.hands.action import HandsAction, Job
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.world.world import World


def reseat_gpu(simulation: Simulation[World], target: str, number: int) -> str:
    """An SXM module: off with the heat sink, out, contacts inspected, in and tightened to the torque of the manual."""
    gpu, state = simulation.world.inventory.gpu(target), simulation.world.gpus[target]
    where = f"the GPU module in SXM socket {gpu.module} of {gpu.node} (serial {state.serial})"
    if state.defect and state.defect.seating:
        simulation.world.gpus[target] = replace(state, defect=None)
        return f"Reseated {where}. Two of its screws were loose and it sat askew; it is tight now."
    return f"Reseated {where}. It was tight, and its contacts look clean."


def reseat_psu(simulation: Simulation[World], target: str, number: int) -> str:
    """A power supply, pulled and pushed back in under power."""
    node, _, part = target.partition("/")
    return f"Reseated power supply {part.removeprefix('psu')} of {node}. Its latch and its cord are tight."


HANDS = HandsAction(
    name="reseat",
    title="Take a part out and put it back",
    jobs=MappingProxyType(
        {
            "gpu": Job(duration=40 * MINUTE, power_off=True, work=reseat_gpu),
            "psu": Job(duration=5 * MINUTE, power_off=False, work=reseat_psu),
        }
    ),
    doc="A GPU needs the node without power; a power supply is reseated under power.",
)

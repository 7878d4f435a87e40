"""A GPU does not answer when its node starts the next time: the driver finds it dead at probe time and says so without
any Xid, so alerts that wait for Xids stay silent (NVIDIA/NVSentinel#155, leptonai/gpud#1209). Until then it works.

From then on it is a board that dropped off the bus: see gpu.fell_off_bus for what revives it. Shares are guesses.
"""

from __future__ import annotations

from dataclasses import replace

from engine.faults import gpu_fell_off_bus
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics.gpu_bus import plant_defect
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Give the board, or its seat, a defect that shows with the next start."""
    plant_defect(simulation, target, replace(gpu_fell_off_bus.defect(simulation, target, values), at_start=True))


FAULT = Fault(
    id="gpu.missing_at_boot",
    title="A GPU does not answer at the next start",
    targets=("gpu",),
    inject=inject,
    parameters=gpu_fell_off_bus.FAULT.parameters,
    doc="After a restart seven of eight GPUs, no Xid. Cold starts may revive it; reseat or replace it.",
)

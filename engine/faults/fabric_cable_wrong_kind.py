"""A cable of an older generation stands where one for the ports' rate belongs (NVIDIA/nccl#307: adapters of 200 Gb/s on
cables for 100): no error, half of the rate. mlxlink names the part and the speeds that it supports.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import links, optics
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The link trains at what the cable can."""
    found = simulation.world.inventory.cables[target]
    links.change_cable(simulation, found, part=optics.SLOWER_CABLE)


FAULT = Fault(
    id="fabric.cable_wrong_kind",
    title="A cable of an older generation is plugged in",
    targets=("port",),
    inject=inject,
    doc="The link runs at HDR between NDR ports; mlxlink -m shows the part. Replacing the cable mends it.",
)

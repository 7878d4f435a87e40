"""The link logic of an adapter's port has stopped: Polling at both ends, though cable, light and settings are sound.

Switching the port off and on does not help, a reset of the card (mlxfwreset) or a restart of the node does.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import plugs
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The link goes down."""
    plugs.hang(simulation, simulation.world.inventory.hca(target).port, True)


FAULT = Fault(
    id="fabric.port_hung",
    title="The port of an adapter hangs",
    targets=("cabled_hca",),
    inject=inject,
    doc="Polling at both ends with good light. mlxfwreset or a restart of the node mends it.",
)

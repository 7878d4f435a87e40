"""The management agent of an adapter's port has stopped: the subnet manager asks it for its NodeInfo and hears nothing.

The port's link came up again after it, so that it waits as Initializing and the manager, which works for all others, is
not to blame: opensm's log tells of a timeout at the same direct route in every sweep, scans of the fabric time out
there, and the port of the switch leads to nobody. Retraining the link or restarting the manager does not help, a reset
of the card (mlxfwreset) or a restart of the node does.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics.port_control import RetrainPort
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The agent falls silent, and the link trains anew."""
    port = simulation.world.inventory.hca(target).port
    simulation.world.ports.update(port, silent=True)
    simulation.apply(RetrainPort(port))


FAULT = Fault(
    id="hca.agent_silent",
    title="An adapter does not answer the subnet manager",
    targets=("cabled_hca",),
    inject=inject,
    doc="Initializing though the manager is well; its log tells of timeouts. mlxfwreset or a restart mends it.",
)

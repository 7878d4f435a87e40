"""A host's adapters were reset, after an update of their firmware for example, and nobody set their quality of service
anew: trust pcp, no PFC, no traffic class. The file and the unit are as they should be; the unit ran before the reset.
"""

from __future__ import annotations

from engine.control import adapter_qos
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Lose what the unit had set."""
    adapter_qos.lose_settings(simulation, adapter_qos.adapters(simulation.world, target), {})


FAULT = Fault(
    id="roce.host_settings_lost",
    title="A host's adapters lost their RoCE settings in a reset",
    targets=("roce_node",),
    inject=inject,
    doc="RoCE goes as best effort, in priority 0. systemctl restart roce-qos sets everything again.",
)

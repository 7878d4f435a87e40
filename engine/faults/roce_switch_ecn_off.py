"""A switch marks nothing: ECN was not configured, or a profile was lost with an upgrade.

Senders never hear of congestion and push until pause stops them: pause frames rise towards all senders of an incast,
innocent flows of the same ports stand still with them, and counters of marks and notifications stay still. Configuring
ECN on the class of RoCE mends it.
"""

from __future__ import annotations

from engine.faults import _ethernet
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.records.ethernet import NONE
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """No port of the switch marks any more."""
    ports = _ethernet.ports_of(simulation.world.inventory, target)
    simulation.apply(settings.SetPortQos(ports, (("marks", NONE),)))


FAULT = Fault(
    id="roce.switch_ecn_off",
    title="A switch does not mark congestion",
    targets=("ethernet_switch",),
    inject=inject,
    doc="Pause frames instead of marks when several send to one. ECN has to be configured on the switch.",
)

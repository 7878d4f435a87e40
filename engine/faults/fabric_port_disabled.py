"""Somebody disabled a port and did not enable it again: no link, the port says Disabled, its peer waits (Polling)."""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Switch the port off."""
    links.set_enabled(simulation, target, False)


FAULT = Fault(
    id="fabric.port_disabled",
    title="A port is administratively disabled",
    targets=("port",),
    inject=inject,
    doc="The port is Disabled, the one at the other end Polling. Enabling it mends it.",
)

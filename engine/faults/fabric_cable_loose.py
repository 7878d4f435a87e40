"""A cable is not home at one end: no link, both ports wait (Polling). Reseating it mends it."""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The link goes down."""
    links.change_cable(simulation, simulation.world.inventory.cables[target], plugged=False)


FAULT = Fault(
    id="fabric.cable_loose",
    title="A cable is not plugged in",
    targets=("port",),
    inject=inject,
    doc="Both ports are Down and Polling. Reseating the cable mends it.",
)

"""A fan module of a node stops: the GPUs behind it get less air, the other fans run faster."""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics.air import stop_fan
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Stop the module."""
    stop_fan(simulation, target)


FAULT = Fault(
    id="cooling.fan_failed",
    title="A fan module stops",
    targets=("fan",),
    inject=inject,
    doc="The GPUs behind it run hotter; at full load in warm air they slow down. Replacing the module mends it.",
)

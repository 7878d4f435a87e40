"""Dirt on the optical connector at a port: less light comes in on some lanes, and what comes in that way has errors.

The link is up. The port with the dirt counts symbol and receive errors and shows weak light (mlxlink -m: Rx power of
two lanes far below the others); its partner shows nothing. Cleaning the connector mends it, and so does all new.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.physics import optics, plugs
from engine.physics.optics import LANES
from engine.world.world import World

_OTHER_LANES = (10, 90)


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Of the two lanes that the dirt covers so little arrives, of the second a little more; the others lose hardly
    anything.
    """
    left, seed = -int(values["light"] or 0), simulation.world.seed
    clean = optics.received(simulation.world, target)
    first = hash64(seed, "dirty lane", target) % (LANES - 1)
    taken = [_OTHER_LANES[0] + hash64(seed, "dirt", target, lane) % _OTHER_LANES[1] for lane in range(LANES)]
    taken[first], taken[first + 1] = clean[first] - left, clean[first + 1] - left - 30
    plugs.soil(simulation, target, tuple(taken))


FAULT = Fault(
    id="fabric.connector_dirty",
    title="An optical connector is dirty",
    targets=("fibre",),
    inject=inject,
    parameters=(
        Parameter(
            "light", "integer", "600", "What arrives on the worst lane: minus so many 1/100 dBm.", least=410, most=660
        ),
    ),
    doc="Symbol errors at one end only, whose receiver gets little light on two lanes. Cleaning mends it.",
)

"""A switch sends everything for a bundle over one of its cables: its hash looks at layer 2 alone.

Between routers the addresses of layer 2 are the same for all packets, so that one leg of eight carries all and is full,
while the bundle is up with all of its legs. What goes through the switch upward shares the rate of one cable. A hash
over addresses and ports (layer3+4) mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The hash over legs looks at less from now on."""
    simulation.apply(settings.SetSwitch(target, (("lag_hash", "layer2"),)))


FAULT = Fault(
    id="roce.bundle_one_leg",
    title="A bundle of links uses one of them",
    targets=("bundled_switch",),
    inject=inject,
    doc="All that leaves the switch by a bundle shares one cable. The hash has to look at layers 3 and 4.",
)

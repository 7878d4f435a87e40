"""A leaf and the spines choose ways with one hash seed: after a new configuration all switches have the same.

What the leaf's hash sent to a spine only ever meets part of the spine's ways: some links carry several
flows, others none, and who shares one gets a half or a third, the same pairs at every try. Adaptive routing is off with
it. A seed for each switch, or adaptive routing, mends it.
"""

from __future__ import annotations

from engine.faults import _ethernet
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The leaf and every switch above it hash alike, none goes by load."""
    world = simulation.world
    cables = world.inventory.cables
    ends = (cables[port].other(port).partition("/")[0] for port in _ethernet.ports_of(world.inventory, target))
    above = sorted({name for name in ends if name in world.inventory.switches})
    for switch in (target, *above):
        simulation.apply(settings.SetSwitch(switch, (("adaptive", False), ("hash_seed", 0))))


FAULT = Fault(
    id="roce.ways_polarised",
    title="Switches share one hash seed",
    targets=("ethernet_switch",),
    inject=inject,
    doc="Pairs of nodes get half of a link while others idle. Seeds that differ, or adaptive routing, mend it.",
)

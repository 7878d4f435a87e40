"""The cooling door of a rack: chilled water runs through it, a rope on the floor under it feels water.

When the rope raises its alarm, for water or because it is broken, the door closes its valve and stops cooling: the air
that comes round to the inlets of its own rack becomes hotter. Somebody who looks at the floor can tell the two apart.
DGX H100 are cooled by air, so this stands outside of them; by how much and how fast the air warms up is a guess.
"""

from __future__ import annotations

from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics.air import change_inlet
from engine.physics.supplies import nodes_on
from engine.world.events import LeakAlarm
from engine.world.world import World

WARMER = 9_000
"""m°C by which the inlets of a rack rise when its door stops cooling."""

_RAMP = 12 * MINUTE


def has_alarm(world: World, rack: str) -> bool:
    """Whether the rope says that there is water."""
    state = world.leaks[rack]
    return state.wet or state.broken


def raise_alarm(simulation: Simulation[World], rack: str, *, water: bool) -> None:
    """Water runs out, or the rope breaks."""
    before = has_alarm(simulation.world, rack)
    simulation.world.leaks.update(rack, **{"wet" if water else "broken": True})
    if not before:
        _valve(simulation, rack, WARMER)
        simulation.publish(LeakAlarm(rack, True))


def mend(simulation: Simulation[World], rack: str) -> None:
    """What leaked is tight, the rope is whole, the valve is open."""
    if has_alarm(simulation.world, rack):
        simulation.world.leaks.update(rack, wet=False, broken=False)
        _valve(simulation, rack, -WARMER)
        simulation.publish(LeakAlarm(rack, False))


def _valve(simulation: Simulation[World], rack: str, change: int) -> None:
    for node in nodes_on(simulation.world.inventory, rack):
        change_inlet(simulation, node, change, _RAMP)

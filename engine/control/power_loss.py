"""What becomes of a node whose power supplies fail it: it goes dark, and comes back as its BMC's policy says.

The chassis goes off at once when too few supplies are left (engine.physics.supplies); nothing is shut down in order.
When there is enough again, a node that went dark is started after a while if the policy is "always-on", or "previous"
(it ran before). The pause is a guess.
"""

from __future__ import annotations

from engine.control import boot
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import supplies
from engine.world.events import PowerInputChanged, PowerRestoreDue
from engine.world.records import Power
from engine.world.world import World

_PAUSE = 20 * SECOND


def _input_changed(simulation: Simulation[World], event: PowerInputChanged) -> None:
    world, host = simulation.world, event.node
    held, on = supplies.can_run(world, world.node(host)), world.nodes[host].power is Power.ON
    if on and not held:
        world.platforms.update(host, went_dark=True)
        boot.lose_power(simulation, host, "power lost")
    elif held and not on and world.platforms[host].went_dark:
        simulation.schedule(PowerRestoreDue(host, world.nodes[host].boots), _PAUSE)


def _restore_due(simulation: Simulation[World], event: PowerRestoreDue) -> None:
    world, host = simulation.world, event.node
    same = world.nodes[host].boots == event.boots and world.nodes[host].power is Power.OFF
    if same and supplies.can_run(world, world.node(host)) and world.bmcs[host].policy != "always-off":
        simulation.apply(boot.ChassisPower(host, "on", ""))


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (PowerInputChanged, _input_changed),
    (PowerRestoreDue, _restore_due),
)

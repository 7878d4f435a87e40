"""A subnet manager crashes again and again, and a watchdog of cron starts it again each time.

It stands highest, so it takes the fabric each time that it comes, and whoever stands by takes it each time that it
goes: the fabric is routed anew every few minutes, and the LID of the manager changes in every port.
"""

from __future__ import annotations

from engine.control import files, systemd
from engine.control.subnet_manager import crashes
from engine.control.subnet_manager.managers import UNIT
from engine.faults._subnet_manager import configure
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """It runs, with the highest priority; the first crash comes after a while."""
    files.write(simulation, target, crashes.WATCHDOG, crashes.LINE.encode(), uid=0, gid=0)
    configure(simulation, target, sm_priority="15")
    simulation.apply(systemd.StartUnit(target, UNIT, ""))
    crashes.crash_later(simulation, target, int(values["every"] or 0))


FAULT = Fault(
    id="subnet_manager.flapping",
    title="A subnet manager crashes and comes back, again and again",
    targets=("node",),
    inject=inject,
    parameters=(Parameter("every", "duration", "5m", "How long it runs until it crashes.", least=10 * SECOND),),
    doc="Entering MASTER state over and over; SM lid changes. Remove its watchdog, and stop it.",
)

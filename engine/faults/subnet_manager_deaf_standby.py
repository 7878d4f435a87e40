"""A subnet manager stands by that will not take over: its sminfo_polling_timeout was set as if it were microseconds, so
that it asks the master for a sign of life once in hours.

Nothing is seen of it until the master is gone: then ports that come up stay Initializing, while a manager runs that
says STANDBY.
"""

from __future__ import annotations

from engine.control import systemd
from engine.control.subnet_manager.managers import UNIT
from engine.faults._subnet_manager import configure
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Start the standby."""
    waits = int(values["asks_every"] or 0) // MILLISECOND
    configure(simulation, target, sm_priority="1", sminfo_polling_timeout=str(waits))
    simulation.apply(systemd.StartUnit(target, UNIT, ""))
    simulation.apply(systemd.EnableUnit(target, UNIT, ""))


FAULT = Fault(
    id="subnet_manager.deaf_standby",
    title="The subnet manager that stands by does not take over",
    targets=("node",),
    inject=inject,
    parameters=(Parameter("asks_every", "duration", "10000s", "How often it asks its master.", least=SECOND),),
    doc="Without the master, the standby goes on saying STANDBY. Set the timeout right and restart it.",
)

"""A BMC's event log has been full since long ago, of one sensor that went on and off for weeks: what happens now is not
logged. Its fullness sensor and `sel info` tell. Clearing the log, after saving it, mends it.
"""

from __future__ import annotations

from engine.control.sel import CAPACITY
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY
from engine.world.records import SelFlood
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The log is full of what a button's sensor told, up to so many days before the site's start."""
    last = -int(values["days"] or 0) * DAY
    every = 7 * DAY // CAPACITY
    flood = SelFlood(last - CAPACITY * every, every, CAPACITY, "Button", "SEL_NV_CHASSIS", "Power Button pressed")
    simulation.world.sel.update(target, flood=flood, entries=())


FAULT = Fault(
    id="bmc.log_full",
    title="A BMC's event log is full",
    targets=("node",),
    inject=inject,
    parameters=(Parameter("days", "integer", "12", "For how many days it has been full.", least=0, most=1000),),
    doc="Nothing new is logged. ipmitool sel save, then sel clear mends it.",
)

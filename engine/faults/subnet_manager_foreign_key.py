"""A second subnet manager with another sm_key: both ignore each other, both are master, and each writes its own tables
and LIDs of the manager into the same ports (opensm logs ERR 2F18).
"""

from __future__ import annotations

from engine.control import systemd
from engine.control.subnet_manager.managers import UNIT
from engine.faults._subnet_manager import configure
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Start it with a file that has the other key."""
    configure(simulation, target, sm_key=str(values["key"]))
    simulation.apply(systemd.StartUnit(target, UNIT, ""))
    simulation.apply(systemd.EnableUnit(target, UNIT, ""))


FAULT = Fault(
    id="subnet_manager.foreign_key",
    title="Two subnet managers with different keys are both master",
    targets=("node",),
    inject=inject,
    parameters=(Parameter("key", "text", "0x000000000000beef", "Its sm_key."),),
    doc="Two ports whose sminfo says MASTER. Give it the right key, or stop it.",
)

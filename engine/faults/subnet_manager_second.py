"""A second subnet manager that nobody meant: a switch's own one was switched on, or opensm was started on a node.

The one of higher priority (of equal ones that with the lower GUID) becomes master, with its own configuration; the
intended one stands by, though its service runs (dell/omnia issue 422).
"""

from __future__ import annotations

from engine.control import systemd
from engine.control.subnet_manager.managers import UNIT
from engine.control.subnet_manager.on_switches import SetSwitchManager
from engine.faults._subnet_manager import configure
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Switch it on."""
    priority = int(values["priority"] or 0)
    if target in simulation.world.inventory.switches:
        simulation.apply(SetSwitchManager(target, enabled=True, priority=priority))
        return
    configure(simulation, target, sm_priority=str(priority))
    simulation.apply(systemd.StartUnit(target, UNIT, ""))
    simulation.apply(systemd.EnableUnit(target, UNIT, ""))


FAULT = Fault(
    id="subnet_manager.second",
    title="A second subnet manager took the fabric",
    targets=("switch", "node"),
    inject=inject,
    parameters=(Parameter("priority", "integer", "15", "Its priority in elections.", least=0, most=15),),
    doc="sminfo names another master, the intended one stands by. Switch the other one off, or set the priorities.",
)

"""Somebody has set a node's fans to a fixed speed through its BMC and left it so: they do not follow the heat. Idle the
node is quiet and cool enough; under load its GPUs reach their limit although every fan turns and the air is cool.
Starting the BMC anew gives it the control back.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.events import AirChanged
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Set the duty."""
    simulation.world.bmcs.update(target, fan_duty=int(values["percent"] or 0) * 10)
    simulation.publish(AirChanged(target))


FAULT = Fault(
    id="cooling.fans_manual",
    title="A node's fans are set to a fixed speed",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("percent", "integer", "30", "The duty of the fans.", least=20, most=100),),
    doc="All GPUs of the node get too little air under load, with all fans turning slowly. Resetting the BMC mends it.",
)

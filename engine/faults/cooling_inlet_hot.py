"""The air that reaches a node, or all nodes of a rack, becomes hotter: a failed room cooler, a missing blanking
panel, a hot aisle that leaks.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, SECOND
from engine.physics.air import change_inlet
from engine.world.inventory import Inventory
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Let the inlet temperature rise."""
    change, ramp = int(values["degrees"] or 0) * 1000, int(values["ramp"] or 0)
    inventory = simulation.world.inventory
    for node in [target] if target in inventory.node_index else _nodes_of_rack(inventory, target):
        change_inlet(simulation, node, change, ramp)


def _nodes_of_rack(inventory: Inventory, rack: str) -> list[str]:
    return [name for name in inventory.node_names if inventory.node(name).rack == rack]


FAULT = Fault(
    id="cooling.inlet_hot",
    title="Hot air reaches a node or a rack",
    targets=("node", "rack"),
    inject=inject,
    parameters=(
        Parameter("degrees", "integer", "14", "By how many degrees the inlet rises.", least=1, most=40),
        Parameter("ramp", "duration", "10m", "Within which time.", least=SECOND, most=24 * HOUR),
    ),
    doc="Every node concerned gets hotter, and its fans run faster. The cause is in the room, not in the nodes.",
)

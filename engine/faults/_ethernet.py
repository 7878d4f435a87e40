"""What faults of Ethernet switches share."""

from __future__ import annotations

from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.inventory import Inventory
from engine.world.world import World


def ports_of(inventory: Inventory, switch: str) -> tuple[str, ...]:
    """The ports of a switch that have a cable, in the order of their numbers."""
    ports = (f"{switch}/{number}" for number in range(1, inventory.switches[switch].ports + 1))
    return tuple(port for port in ports if port in inventory.cables)


def remap(simulation: Simulation[World], switch: str, dscp: int, priority: int) -> None:
    """All ports of a switch give packets with `dscp` another priority."""
    for port in ports_of(simulation.world.inventory, switch):
        before = simulation.world.port_qos[port].priorities
        mapped = tuple(priority if number == dscp else to for number, to in enumerate(before))
        simulation.apply(settings.SetPortQos((port,), (("priorities", mapped),)))


def roce_priority(world: World, port: str) -> int:
    """The lossless priority of a port; 3 if it has none."""
    return next((number for number, on in enumerate(world.port_qos[port].pause_sent) if on), 3)

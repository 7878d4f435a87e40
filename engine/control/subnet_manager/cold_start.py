"""A fabric after its power was away: ports have no LID and wait as Initializing, switches have no forwarding table and
nobody has a partition key but the default one.
"""

from __future__ import annotations

from engine.control.subnet_manager.lids import FABRIC, fresh_lids
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.physics.traffic.forwarding import NO_ROUTE
from engine.world.events import SubnetSwept
from engine.world.records import ForwardingTable
from engine.world.world import World


def lose_power(simulation: Simulation[World]) -> None:
    """All InfiniBand switches and adapters start anew; their links are up again."""
    world = simulation.world
    for end in fresh_lids(world.inventory):
        world.ports.update(end, lid=0, sm_lid=0)
        world.partition_keys.forget(end)
    for port in world.inventory.cables:
        if not links.ethernet(world, port):
            world.ports.update(port, initialized=False)
    for name, switch in world.inventory.switches.items():
        if switch.kind == "infiniband":
            world.forwarding[name] = ForwardingTable(bytes((NO_ROUTE,)))
    world.subnet_manager.update(FABRIC, partitions=None)
    simulation.publish(SubnetSwept(True))

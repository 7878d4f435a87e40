"""What the kernel of a host says when the link of an adapter's port goes or comes.

MLNX_OFED's driver tells of InfiniBand ports: `mlx5_core 0000:dc:00.0 mlx5_11: Port: 1 Link DOWN`, then INIT when there
is a link again, ACTIVE once a subnet manager has brought it up (kernel logs of nodes with ConnectX-7).
"""

from __future__ import annotations

from engine.control import journald
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.events import LinkChanged, SubnetSwept
from engine.world.records import LogicalState
from engine.world.world import World

_OF_A_HOST = 2


def _link_changed(simulation: Simulation[World], event: LinkChanged) -> None:
    world = simulation.world
    if not _told(world, event.port):
        return
    _say(simulation, event.port, "INIT" if event.up else "DOWN")
    world.ports.update(event.port, awaited=event.up)


def _swept(simulation: Simulation[World], event: SubnetSwept) -> None:
    world = simulation.world
    for port in world.ports.changed():
        if world.ports[port].awaited and links.logical_state(world, port) is LogicalState.ACTIVE:
            _say(simulation, port, "ACTIVE")
            world.ports.update(port, awaited=False)


def _told(world: World, port: str) -> bool:
    """Whether it is an InfiniBand port of a host whose driver is there to tell of it."""
    return port.count("/") == _OF_A_HOST and links.served(world, port) and not links.ethernet(world, port)


def _say(simulation: Simulation[World], port: str, state: str) -> None:
    hca = simulation.world.inventory.hca(port.rpartition("/")[0])
    journald.kernel(simulation, hca.node, f"mlx5_core {hca.address} {hca.name}: Port: 1 Link {state}")


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((LinkChanged, _link_changed), (SubnetSwept, _swept))

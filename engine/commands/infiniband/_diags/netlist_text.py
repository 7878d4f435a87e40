"""The whole InfiniBand fabric of a site as one netlist: what ibnetdiscover prints from the subnet manager's port, and
then each part that no link joins to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.infiniband._diags import topology
from engine.commands.infiniband._diags.discovery import ADAPTER, SWITCH, Node, discover, listed
from engine.control.subnet_manager.lids import host_of_manager
from engine.kernel.errors import BreakfixError
from engine.physics import links
from engine.world.world import World


def netlist(world: World, now: int) -> Iterator[str]:
    """Its lines. Raises BreakfixError for a site without an InfiniBand fabric."""
    nodes = _everything(world)
    if not nodes:
        raise BreakfixError(f"the site {world.inventory.name} has no InfiniBand fabric")
    yield from topology.heading(nodes, world.inventory.timezone, world.inventory.start + now, False)
    for node in (*listed(nodes, SWITCH), *listed(nodes, ADAPTER)):
        yield from topology.node_lines(node)
        yield from (topology.port_line(port) for port in node.ports if port.far)


def _everything(world: World) -> list[Node]:
    """Nodes of all parts of the fabric that have a link, the manager's first. Of two with one GUID there is one: a
    netlist names nodes by it.
    """
    inventory = world.inventory
    own = host_of_manager(inventory)
    starts = ([own.port] if own else []) + sorted(inventory.cables)
    found: dict[int, Node] = {}
    for port in starts:
        place = links.place(inventory, port)
        if place.device.guid not in found and not place.ethernet and links.link_up(world, port):
            found |= {node.guid: node for node in discover(world, place.device)}
    return list(found.values())

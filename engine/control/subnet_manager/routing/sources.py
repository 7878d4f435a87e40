"""Where a fabric to route comes from: the world, or a netlist.

Of the world, a manager finds what links that are up join to its port. A link that nothing happened to is up, so only
the ports of what has an entry in the state are looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from engine.control.subnet_manager.lids import FABRIC, end_port, fresh_lids, host_of_manager, lid, port_guid
from engine.control.subnet_manager.routing.fabric import Fabric, Socket, build, without
from engine.physics import links
from engine.world.inventory import Inventory
from engine.world.world import World

if TYPE_CHECKING:
    from engine.sites.netlist import Netlist

_INFINIBAND = "infiniband"


def fabric_of_world(world: World, manager: int | None = None, known: Mapping[int, int] | None = None) -> Fabric:
    """The fabric that a manager finds now. It runs at the port with this GUID, by default where the site's first one
    does; without switches and ends where the site has none and nothing is known of another. `known` are LIDs by port
    GUID that it goes by (None: those that it remembers).
    """
    if manager is None:
        manager = _first_manager(world.inventory)
    whole = whole_fabric(world.inventory, manager)
    dead = _dead_sockets(world, manager)
    known = known_lids(world) if known is None else known
    if not dead and known == known_lids_of_a_new_site(world.plan) and not _renamed(world):
        return whole if manager == _first_manager(world.inventory) else without(whole, dead, manager, known)
    return without(whole, dead, manager, known)


def _renamed(world: World) -> bool:
    """Whether a card tells another GUID than in the plan."""
    return any(world.adapters[card].running_guid for card in world.adapters.changed())


def _first_manager(inventory: Inventory) -> int:
    hca = host_of_manager(inventory)
    return hca.port_guid if hca else 0


def whole_fabric(inventory: Inventory, manager: int) -> Fabric:
    """The fabric with every cable in order, as the manager at the port with this GUID finds it on a fresh start."""
    return inventory.once(("routing", "whole fabric", manager), lambda: _whole_fabric(inventory, manager))


def known_lids(world: World) -> Mapping[int, int]:
    """LIDs by port GUID, of ports that are absent now too. What a master remembers counts before what a port has."""
    inventory, given = world.inventory, world.subnet_manager[FABRIC].lids
    changed = {end_port(port) for port in world.ports.changed() if world.ports[port].lid is not None}
    ends = [end for end in sorted(changed) if not links.place(inventory, end).ethernet]
    ports = {port_guid(inventory, end): lid(world, end) for end in ends if lid(world, end)}
    return MappingProxyType({**known_lids_of_a_new_site(world.plan), **ports, **dict(given or ())})


def known_lids_of_a_new_site(inventory: Inventory) -> Mapping[int, int]:
    """LIDs by port GUID after the first sweep of the site."""
    return inventory.once(
        ("routing", "fresh lids"),
        lambda: MappingProxyType({port_guid(inventory, end): lid for end, lid in fresh_lids(inventory).items()}),
    )


def fabric_of_netlist(
    netlist: Netlist, manager: int | None = None, known: Mapping[int, int] = MappingProxyType({})
) -> Fabric:
    """The fabric of a netlist. The manager runs at the port with this GUID, by default at the file's first node."""
    nodes = netlist.nodes.values()
    switches = {node.guid: node.ports for node in nodes if node.switch}
    cables: list[tuple[Socket, Socket]] = []
    ends: list[tuple[int, Socket]] = []
    for node in nodes:
        for port, link in node.links.items():
            far = netlist.nodes[link.peer]
            if not far.switch:
                continue
            if node.switch:
                cables.append(((node.guid, port), (far.guid, link.peer_port)))
            else:
                ends.append((node.port_guid(port), (far.guid, link.peer_port)))
    return build(switches, cables, ends, _first_port(netlist) if manager is None else manager, known)


def _first_port(netlist: Netlist) -> int:
    """The GUID of the first node's port."""
    first = next(iter(netlist.nodes.values()))
    return first.guid if first.switch else first.port_guid(min(first.links, default=1))


def _whole_fabric(inventory: Inventory, manager: int) -> Fabric:
    switches = {name: switch for name, switch in inventory.switches.items() if switch.kind == _INFINIBAND}
    sockets = {
        port: (switches[device].guid, int(number))
        for port in inventory.cables
        for device, _, number in [port.rpartition("/")]
        if device in switches
    }
    cables: list[tuple[Socket, Socket]] = []
    ends: list[tuple[int, Socket]] = []
    for port, socket in sockets.items():
        far = inventory.cables[port].other(port)
        if far.count("/") > 1:
            ends.append((inventory.port_guid(far), socket))
        elif far in sockets and port < far:
            cables.append((socket, sockets[far]))
    known = {port_guid(inventory, end): lid for end, lid in inventory.given_lids.items()}
    return build({switch.guid: switch.ports for switch in switches.values()}, cables, ends, manager, known)


def _socket(inventory: Inventory, port: str) -> Socket | None:
    """A switch's port; None for an adapter's."""
    device, _, number = port.rpartition("/")
    return None if "/" in device else (inventory.switches[device].guid, int(number))


def _ends_of_cables(inventory: Inventory) -> Mapping[str, tuple[str, str]]:
    """The ports at both ends of each cable, by the cable's id."""
    return inventory.once(
        ("routing", "ends of cables"), lambda: {cable.id: cable.ends for cable in inventory.cables.values()}
    )


def _dead_sockets(world: World, manager: int) -> list[Socket]:
    """Ports of switches behind which the manager finds nobody though they have a cable: the link is down, or the
    adapter there does not answer. A manager speaks to its own port without the fabric.
    """
    inventory = world.inventory
    suspects = {port for port in world.ports.changed() if not port.endswith("/0")}
    suspects |= {end for cable in world.cables.changed() for end in _ends_of_cables(inventory)[cable]}
    for name in world.switches.changed():
        suspects |= {f"{name}/{number}" for number in range(1, inventory.switches[name].ports + 1)}
    hosts = {*world.nodes.changed(), *world.systems.changed()} & set(inventory.node_index)
    suspects |= {hca.port for host in hosts for hca in inventory.node(host).hcas}
    dead = []
    for port in sorted(suspects):
        cable = links.cable(inventory, port)
        if cable is None or links.place(inventory, port).ethernet:
            continue
        silent = any(world.ports[end].silent and port_guid(inventory, end_port(end)) != manager for end in cable.ends)
        if links.link_up(world, port) and not silent:
            continue
        sockets = (_socket(inventory, end) for end in cable.ends)
        dead += [socket for socket in sockets if socket]
    return dead

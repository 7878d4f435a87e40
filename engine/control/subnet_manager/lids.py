"""LIDs as opensm gives them on a fresh start: its own port gets 1, all other end ports follow by ascending byte-swapped
port GUID.

End ports are the InfiniBand ports of nodes, and port 0 of each switch. Measured with opensm 3.3.23 on fabrics of 12 to
2,208 nodes. LIDs that ports had before are kept. They are a function of the inventory, worked out once; a port that
nothing has happened to since has no entry in the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from types import MappingProxyType

from engine.world.inventory import Hca, Inventory, Switch
from engine.world.world import World

FIRST = 1
FABRIC = ""
"""The id of the fabric's entry in `world.subnet_manager`."""

_INFINIBAND = "InfiniBand"
_MANAGEMENT = "/0"


def management_port(switch: Switch | str) -> str:
    """The id of a switch's port 0."""
    return f"{switch if isinstance(switch, str) else switch.name}/0"


def end_port(port: str) -> str:
    """The end port that bears the LID by which a port is reached: port 0 of a switch, the port itself otherwise."""
    device = port.rpartition("/")[0]
    return port if "/" in device else management_port(device)


def host_of_manager(inventory: Inventory) -> Hca | None:
    """The HCA on which the site's subnet manager runs: the first cabled InfiniBand one of the head node."""
    heads = (name for name in inventory.node_names if _is_head(inventory, name))
    return next((hca for head in heads if (hca := usual_port(inventory, head))), None)


def usual_port(inventory: Inventory, node: str) -> Hca | None:
    """The HCA on which opensm of a node works if its file names no port: the first InfiniBand one with a cable."""
    hcas = inventory.node(node).hcas
    return next((hca for hca in hcas if hca.link_layer == _INFINIBAND and hca.port in inventory.cables), None)


def fresh_lids(inventory: Inventory) -> Mapping[str, int]:
    """LIDs of a first sweep, by end port. Empty where no subnet manager is."""
    return inventory.once(("fresh lids",), lambda: MappingProxyType(_fresh_lids(inventory)))


def lid(world: World, port: str) -> int:
    """The LID by which a port is reached; 0 while it has none. It stays when the link goes down or the manager ends."""
    end = end_port(port)
    stored = world.ports[end].lid
    return fresh_lids(world.inventory).get(end, 0) if stored is None else stored


def manager_lid(world: World, port: str) -> int:
    """The LID of the subnet manager that configured a port; 0 if none did."""
    end = end_port(port)
    stored = world.ports[end].sm_lid
    if stored is not None:
        return stored
    if end not in fresh_lids(world.inventory):
        return 0
    last = world.subnet_manager[FABRIC].master_lid
    return first_manager_lid(world.inventory) if last is None else last


def first_manager_lid(inventory: Inventory) -> int:
    """The LID of the manager that the site began with; 0 where none is."""
    hca = host_of_manager(inventory)
    return fresh_lids(inventory).get(hca.port, 0) if hca else 0


def swapped(guid: int) -> int:
    """A GUID as opensm orders it: its bytes in network order, read by a little-endian machine."""
    return int.from_bytes(guid.to_bytes(8, "big"), "little")


def _fresh_lids(inventory: Inventory) -> dict[str, int]:
    manager = host_of_manager(inventory)
    if manager is None:
        return {}
    ends = fabric_of(inventory, manager.port)
    others = sorted((swapped(guid), end) for end, guid in ends.items() if end != manager.port)
    known = {end: lid for end, lid in inventory.given_lids.items() if end in ends}
    taken = set(known.values())
    new = [end for end in (manager.port, *(end for _, end in others)) if end not in known]
    free = (number for number in count(FIRST) if number not in taken)
    return known | dict(zip(new, free, strict=False))


def fabric_of(inventory: Inventory, start: str) -> dict[str, int]:
    """Port GUIDs of all end ports that cables join to `start`, by end port."""
    ends = {start: port_guid(inventory, start)}
    waiting = [start]
    while waiting:
        for near in _ports_of(inventory, waiting.pop()):
            cable = inventory.cables.get(near)
            far = end_port(cable.other(near)) if cable else start
            if far not in ends:
                ends[far] = port_guid(inventory, far)
                if far.endswith(_MANAGEMENT):
                    waiting.append(far)
    return ends


def port_guid(inventory: Inventory, end: str) -> int:
    """The GUID of an end port."""
    device = end.rpartition("/")[0]
    return inventory.port_guid(end) if "/" in device else inventory.switches[device].guid


def _ports_of(inventory: Inventory, port: str) -> list[str]:
    """Ports through which a packet can leave the device of `port`: all of a switch, only itself of an HCA."""
    device = port.rpartition("/")[0]
    if "/" in device:
        return [port]
    return [f"{device}/{number}" for number in range(1, inventory.switches[device].ports + 1)]


def _is_head(inventory: Inventory, name: str) -> bool:
    return inventory.node(name).role == "head"

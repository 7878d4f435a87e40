"""The network interface of an RDMA device on Ethernet: its MTU, and the payload that a RoCE packet may carry with it.

The kernel takes 96 bytes for headers at their largest (Linux 6.8, iboe_get_mtu: GRH 40, UDP 8, BTH 12, XRC 4, atomic
28, ICRC 4), so 4096 bytes need an MTU of 4192, and 1500 leave 1024. A member of a bond has the bond's MTU.
"""

from __future__ import annotations

from engine.world.inventory import Address, Hca, Node
from engine.world.world import World

PACKET_SIZES = (4096, 2048, 1024, 512, 256)
"""Bytes of payload that a packet may be set to carry."""

USUAL_MTU = 1500
_HEADERS = 96


def key(host: str, name: str) -> str:
    """The id of an interface's state."""
    return f"{host}/{name}"


def configured(node: Node, name: str) -> Address | None:
    """What the site configured for an interface, or for the bond that it belongs to."""
    return next((each for each in node.addresses if name in (each.interface, *each.members)), None)


def mtu(world: World, host: str, name: str) -> int:
    """The MTU of an Ethernet interface now."""
    address = configured(world.inventory.node(host), name)
    owner = address.interface if address else name
    changed = world.interfaces[key(host, owner)].mtu if world.interfaces.generation else None
    return changed or (address.mtu if address else USUAL_MTU)


def port_mtu(world: World, hca: Hca) -> int:
    """The MTU of an RDMA device's interface."""
    return mtu(world, hca.node, hca.netdev)


def roce_payload(interface_mtu: int) -> int:
    """Bytes of payload in a RoCE packet under an interface's MTU."""
    room = interface_mtu - _HEADERS
    return next((known for known in PACKET_SIZES if known <= room), PACKET_SIZES[-1])

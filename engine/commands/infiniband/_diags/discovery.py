"""The fabric as libibnetdisc finds it from a local port: breadth first over links that are up, ports ascending;
adapters are leaves.

The tools list nodes in the reverse of this order (measured against the real ones on fabrics of 12 to 2,144 nodes).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.control.subnet_manager.lids import end_port, lid
from engine.physics import links
from engine.world.inventory import Hca, Switch
from engine.world.world import World

SWITCH, ADAPTER = "Switch", "Ca"


@dataclass(frozen=True, slots=True)
class Node:
    """A switch or a channel adapter."""

    world: World
    device: Switch | Hca

    @property
    def kind(self) -> str:
        return SWITCH if isinstance(self.device, Switch) else ADAPTER

    @property
    def guid(self) -> int:
        return self.device.guid

    @property
    def system_guid(self) -> int:
        return self.device.guid if isinstance(self.device, Switch) else self.device.guid & ~0xF

    @property
    def description(self) -> str:
        return links.description(self.world.inventory, self.device)

    @property
    def ids(self) -> tuple[int, int]:
        """Vendor and device number."""
        return links.device_ids(self.device)

    @property
    def port_count(self) -> int:
        return self.device.ports if isinstance(self.device, Switch) else 1

    @property
    def name(self) -> str:
        """As in topology files: `S-b0cf0e0300abcd00`."""
        return f"{'S' if self.kind == SWITCH else 'H'}-{self.guid:016x}"

    @property
    def lid(self) -> int:
        """Of port 0 of a switch, of the only port of an adapter."""
        return lid(self.world, self.port_id(1))

    def port_id(self, number: int) -> str:
        """The id of a port in the inventory."""
        return f"{self.device.name if isinstance(self.device, Switch) else self.device.id}/{number}"

    def ports(self) -> Iterator[Port]:
        """Every external port, ascending."""
        return (Port(self, number) for number in range(1, self.port_count + 1))


@dataclass(frozen=True, slots=True)
class Port:
    """A port of a node."""

    node: Node
    number: int

    @property
    def id(self) -> str:
        return self.node.port_id(self.number)

    @property
    def guid(self) -> int:
        """A switch's ports share the GUID of its port 0."""
        device = self.node.device
        return device.guid if isinstance(device, Switch) else device.port_guid

    @property
    def lid(self) -> int:
        """The LID by which the port is reached."""
        return self.node.lid

    def remote(self) -> Port | None:
        """The port at the other end of a link that is up."""
        world = self.node.world
        far = links.peer(world.inventory, self.id)
        if far is None or not links.link_up(world, self.id):
            return None
        place = links.place(world.inventory, far)
        return Port(Node(world, place.device), place.number)


def discover(world: World, start: Hca) -> list[Node]:
    """Every node that can be reached, in the order of discovery."""
    first = Node(world, start)
    found, seen = [first], {start.id}
    for node in found:
        if node.kind == ADAPTER and node is not first:
            continue
        for port in node.ports():
            far = port.remote()
            if far and _identity(far.node) not in seen:
                seen.add(_identity(far.node))
                found.append(far.node)
    return found


def listed(nodes: list[Node], kind: str | None = None) -> list[Node]:
    """Nodes in the order in which tools list them."""
    return [node for node in reversed(nodes) if kind is None or node.kind == kind]


def find_by_lid(world: World, nodes: list[Node], number: int) -> Node | None:
    """The node that has this LID."""
    return next((node for node in nodes if number and lid(world, end_port(node.port_id(1))) == number), None)


def _identity(node: Node) -> str:
    return node.device.name if isinstance(node.device, Switch) else node.device.id

"""The fabric as libibnetdisc finds it from a local port: breadth first over links that are up, ports ascending;
adapters are leaves.

The tools list nodes in the reverse of this order (measured against the real ones on fabrics of 12 to 2,144 nodes). What
was found is plain data, so that a fabric kept in a file (see cache) is shown by the same code.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.control.subnet_manager.lids import end_port, lid
from engine.physics import links
from engine.world.inventory import Hca, Inventory, Switch
from engine.world.records import LogicalState, PhysicalState
from engine.world.world import World

SWITCH, ADAPTER = "Switch", "Ca"
_FUNCTION_BITS = 0xF


@dataclass(slots=True, eq=False)
class Port:
    """A port of a node: its LID (of a switch's port, that of port 0), states, the Gb/s at which its link runs and could
    run at most, and the port at the other end of a link that is up. A switch's ports share the GUID of its port 0.
    """

    node: Node
    number: int
    state: LogicalState
    physical: PhysicalState
    rate: int
    far: Port | None = None

    @property
    def id(self) -> str:
        """Its id in the inventory."""
        return self.node.port_id(self.number)

    @property
    def guid(self) -> int:
        return self.node.port_guid

    @property
    def lid(self) -> int:
        """The LID by which the port is reached."""
        return self.node.lid

    @property
    def possible(self) -> int:
        """What both ends can do, in Gb/s."""
        return min(self.node.best_rate, self.far.node.best_rate if self.far else self.node.best_rate)


@dataclass(slots=True, eq=False)
class Node:
    """A switch or a channel adapter. `arrival` is the port by which the first packet reached it, `route` the ports by
    which that left the nodes before it, `given_name` what a node name map calls it.
    """

    id: str
    kind: str
    guid: int
    port_guid: int
    system_guid: int
    description: str
    vendor: int
    part: int
    port_count: int
    best_rate: int
    lid: int
    arrival: int = 1
    route: tuple[int, ...] = ()
    ports: list[Port] = field(default_factory=list)
    given_name: str = ""

    @property
    def is_switch(self) -> bool:
        return self.kind == SWITCH

    @property
    def called(self) -> str:
        """Its name in lists: the given one, or how it describes itself."""
        return self.given_name or self.description

    @property
    def name(self) -> str:
        """As in topology files: `S-b0cf0e0300abcd00`."""
        return f"{'S' if self.is_switch else 'H'}-{self.guid:016x}"

    def port(self, number: int) -> Port | None:
        """Its port of this number, from 1."""
        return self.ports[number - 1] if 0 < number <= len(self.ports) else None

    def port_id(self, number: int) -> str:
        """The id of a port in the inventory."""
        return f"{self.id}/{number}"


def discover(world: World, start: Hca | Switch, hops: int | None = None) -> list[Node]:
    """Every node that can be reached, in the order of discovery.

    With `hops` the scan ends when it has come further than so many hops; links over which it did not go are not joined.
    """
    first = _node(world, start)
    known, found, waiting, reach = {first.id: first}, [first], deque([first]), 0
    while waiting:
        node = waiting.popleft()
        if not node.is_switch and node is not first:
            continue
        for port in node.ports:
            back = node is not first and port.number == node.arrival
            if back or (hops is not None and reach > hops):
                continue
            far = port.far or _far(world, port, known)
            if far is None:
                continue
            port.far, far.far = far, port
            reach = max(reach, len(node.route) + 1)
            if far.node.id not in known:
                known[far.node.id] = far.node
                far.node.arrival, far.node.route = far.number, (*node.route, port.number)
                found.append(far.node)
                waiting.append(far.node)
    return found


def device(world: World, node: Node) -> Hca | Switch:
    """The device that a discovered node is."""
    return links.place(world.inventory, node.port_id(1)).device


def listed(nodes: list[Node], kind: str | None = None) -> list[Node]:
    """Nodes in the order in which tools list them."""
    return [node for node in reversed(nodes) if kind is None or node.kind == kind]


def find_by_lid(nodes: list[Node], number: int) -> Node | None:
    """The node that has this LID."""
    return next((node for node in nodes if number and node.lid == number), None)


def find_by_guid(nodes: list[Node], guid: int) -> Node | None:
    """The node one of whose ports has this GUID."""
    return next((node for node in nodes if node.port_guid == guid), None)


def along(nodes: list[Node], route: tuple[int, ...]) -> Node | None:
    """Where a direct route from the first node leads: by these ports of the nodes on the way."""
    node = nodes[0]
    for number in route:
        port = node.port(number)
        if port is None or port.far is None:
            return None
        node = port.far.node
    return node


def _far(world: World, port: Port, known: dict[str, Node]) -> Port | None:
    """The port at the other end of a link that is up; its node is made if nobody has been there yet."""
    if port.state is LogicalState.DOWN:
        return None
    there = links.peer(world.inventory, port.id)
    if there is None:
        return None
    place = links.place(world.inventory, there)
    node = known.get(there.rpartition("/")[0]) or _node(world, place.device)
    return node.port(place.number)


def _node(world: World, device: Switch | Hca) -> Node:
    """A node with its ports, not joined to others yet."""
    count = device.ports if isinstance(device, Switch) else 1
    identity = device.name if isinstance(device, Switch) else device.id
    vendor, part = links.device_ids(device)
    node = Node(
        identity,
        SWITCH if isinstance(device, Switch) else ADAPTER,
        device.guid,
        device.guid if isinstance(device, Switch) else device.port_guid,
        device.guid if isinstance(device, Switch) else device.guid & ~_FUNCTION_BITS,
        links.description(world.inventory, device),
        vendor,
        part,
        count,
        device.rate,
        lid(world, end_port(f"{identity}/1")),
    )
    node.ports = list(_ports(world, node))
    return node


def _ports(world: World, node: Node) -> Iterator[Port]:
    for number in range(1, node.port_count + 1):
        port = node.port_id(number)
        physical = links.physical_state(world, port) if _cabled(world.inventory, port) else _empty(world, port)
        if physical is not PhysicalState.LINK_UP:
            yield Port(node, number, LogicalState.DOWN, physical, links.LOWEST_RATE)
        else:
            yield Port(node, number, links.state_when_up(world, port), physical, links.rate_when_up(world, port))


def _cabled(inventory: Inventory, port: str) -> bool:
    return port in inventory.cables


def _empty(world: World, port: str) -> PhysicalState:
    """Of a port without a cable."""
    return PhysicalState.POLLING if world.ports[port].enabled else PhysicalState.DISABLED

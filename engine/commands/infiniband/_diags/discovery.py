"""The fabric as libibnetdisc finds it from a local port: breadth first over links that are up, ports ascending;
adapters are leaves.

The tools list nodes in the reverse of this order (measured against the real ones on fabrics of 12 to 2,144 nodes). A
program that asks one node looks at that node alone: nodes, their ports and links are worked out when somebody looks
(`Fabric`), and a LID leads where the switches' tables lead. What was found is plain data, so that a fabric kept in a
file (see cache) is shown by the same code.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from engine.control.subnet_manager.lids import end_port, lid, port_guid
from engine.physics import links
from engine.physics.traffic import forwarding
from engine.world import aggregation
from engine.world.inventory import Hca, Inventory, Switch
from engine.world.records import LogicalState, PhysicalState
from engine.world.world import World

SWITCH, ADAPTER = "Switch", "Ca"
_MOST_HOPS = 64


@dataclass(slots=True, eq=False)
class Port:
    """A port of a node: its LID (of a switch's port, that of port 0), states, the Gb/s at which its link runs and could
    run at most, the lanes that the link uses, and the port at the other end of a link that is up. A switch's ports
    share the GUID of its port 0.
    """

    node: Node
    number: int
    state: LogicalState
    physical: PhysicalState
    rate: int
    _far: Port | None = None
    lanes: int = links.LANES
    unseen: bool = False
    """Whether nobody has looked yet where its link leads."""

    @property
    def far(self) -> Port | None:
        """The port at the other end of a link that is up."""
        if self.unseen:
            self.unseen = False
            assert self.node.fabric is not None
            self.node.fabric.join(self)
        return self._far

    @far.setter
    def far(self, far: Port | None) -> None:
        self._far, self.unseen = far, False

    @property
    def generation(self) -> links.Speed:
        """At which its lanes run."""
        return links.speed(self.rate * links.LANES // self.lanes)

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
    """A switch or a channel adapter; `given_name` is what a node name map calls it."""

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
    _arrival: int | None = None
    _route: tuple[int, ...] | None = None
    _ports: list[Port] | None = None
    given_name: str = ""
    fabric: Fabric | None = field(default=None, repr=False)
    """What it is a part of, as long as not everything of it has been looked at."""

    @property
    def ports(self) -> list[Port]:
        """All its ports, from 1 on."""
        if self._ports is None:
            self._ports = list(self.fabric.ports(self)) if self.fabric else []
        return self._ports

    @property
    def route(self) -> tuple[int, ...]:
        """The ports by which the first packet left the nodes before it."""
        if self._route is None and self.fabric:
            self.fabric.explore()
        return self._route or ()

    @property
    def arrival(self) -> int:
        """The port by which the first packet reached it."""
        if self._arrival is None and self.fabric:
            self.fabric.explore()
        return 1 if self._arrival is None else self._arrival

    def reached(self, arrival: int, route: tuple[int, ...]) -> None:
        """Say how the first packet came here."""
        self._arrival, self._route = arrival, route

    def came_by(self, arrival: int) -> None:
        """Say by which port packets to its LID come in, which counts where nobody has explored the fabric."""
        if self._arrival is None:
            self._arrival = arrival

    @property
    def is_switch(self) -> bool:
        return self.kind == SWITCH

    @property
    def aggregates(self) -> bool:
        """Whether it is the aggregation node of a switch, which no host has."""
        return not self.is_switch and self.part == aggregation.DEVICE

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


class Fabric:
    """What can be reached from a local port."""

    def __init__(self, world: World, start: Hca | Switch) -> None:
        self.world = world
        self._known: dict[str, Node] = {}
        self._suspects: tuple[int, Collection[str]] = (-1, ())
        self.first = self.node(start)

    def node(self, device: Hca | Switch) -> Node:
        """The node that a device is."""
        identity = device.name if isinstance(device, Switch) else device.id
        found = self._known.get(identity)
        if found is None:
            found = self._known[identity] = _node(self.world, device, identity)
            found.fabric = self
        return found

    def ports(self, node: Node) -> Iterator[Port]:
        """Its ports as they are."""
        generation = self.world.generation
        if self._suspects[0] != generation:
            self._suspects = generation, links.suspects(self.world)
        for port in _ports(self.world, node, self._suspects[1]):
            port.unseen = port.state is not LogicalState.DOWN
            yield port

    def join(self, port: Port) -> None:
        """Look where the link of a port leads."""
        there = links.peer(self.world.inventory, port.id)
        if there is not None and (not self.world.ports[there].silent or there == self.first.port_id(1)):
            device, _, number = there.rpartition("/")
            node = self._known.get(device) or self.node(links.place(self.world.inventory, there).device)
            far = node.port(int(number))
            if far is not None:
                port.far, far.far = far, port

    def explore(self) -> list[Node]:
        """Look at everything: all nodes, in the order of discovery."""
        return self.nodes

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes, in the order of discovery."""
        return _breadth_first(self.first, None)

    def at_lid(self, number: int) -> Node | None:
        """Who answers a packet to this LID: where the switches' tables lead, if they also lead back."""
        found, arrival = self._led(self.first, number)
        if found is None or found is self.first:
            return found
        if not self.first.lid or self._led(found, self.first.lid)[0] is not self.first:
            return None
        found.came_by(arrival)
        return found

    def with_guid(self, guid: int) -> Node | None:
        """The node one of whose ports has this GUID, if packets come through to its LID."""
        inventory = self.world.inventory
        port = inventory.once(("ends by guid",), lambda: _ends_by_guid(inventory)).get(guid)
        if port is None:
            return None
        there = lid(self.world, end_port(port))
        found = self.at_lid(there) if there else None
        return found if found and found.port_guid == guid else None

    def _led(self, start: Node, number: int) -> tuple[Node | None, int]:
        """Where packets from a node to a LID end, and by which port they come in there; None where they get lost."""
        node, arrival = start, 1
        for _ in range(_MOST_HOPS):
            if number and node.lid == number:
                return node, arrival
            if not node.is_switch and node is not start:
                break
            port = node.port(forwarding.next_port(self.world, node.id, number) if node.is_switch else 1)
            if port is None or port.far is None:
                break
            node, arrival = port.far.node, port.far.number
        return None, 0


def discover(world: World, start: Hca | Switch, hops: int | None = None) -> list[Node]:
    """Every node that can be reached, in the order of discovery.

    With `hops` the scan ends when it has come further than so many hops; links over which it did not go are not joined.
    """
    fabric = Fabric(world, start)
    if hops is None:
        return fabric.nodes
    found = _breadth_first(fabric.first, hops)
    for port in (port for node in found for port in node.ports if port.unseen):
        port.far = None
    return found


def unanswered(world: World, nodes: list[Node]) -> Iterator[tuple[int, ...]]:
    """The direct routes on which a scan asked in vain: over links that are up, to adapters that do not answer."""
    for node in nodes:
        if node is not nodes[0] and not node.is_switch:
            continue
        for port in node.ports:
            if port.state is LogicalState.DOWN or port.far is not None:
                continue
            far = links.peer(world.inventory, port.id)
            if far and world.ports[far].silent:
                yield (*node.route, port.number)


def _breadth_first(first: Node, hops: int | None) -> list[Node]:
    found, waiting, reach = [first], deque([first]), 0
    first.reached(1, ())
    known, adapters = {first.id}, {first.guid: first}
    while waiting:
        node = waiting.popleft()
        if not node.is_switch and node is not first:
            continue
        for port in node.ports:
            back = node is not first and port.number == node.arrival
            if back or (hops is not None and reach > hops) or port.far is None:
                continue
            reach, far = max(reach, len(node.route) + 1), port.far.node
            if not far.is_switch and (other := adapters.setdefault(far.guid, far)) is not far:
                _taken_for(other, far)
            elif far.id not in known:
                known.add(far.id)
                far.reached(port.far.number, (*node.route, port.number))
                found.append(far)
                waiting.append(far)
    return found


def _taken_for(node: Node, twin: Node) -> None:
    """An adapter with the GUID of one that was found before is taken for that one: the link, state and LID of its port
    take the place of those (libibnetdisc; measured on a simulator).
    """
    before, port = node.port(1), twin.port(1)
    if before is None or port is None or port.far is None:
        return
    if before.far is not None:
        before.far.far = None
    before.far, before.state, before.physical, before.rate = port.far, port.state, port.physical, port.rate
    node.lid, port.far.far = twin.lid, before


def _ends_by_guid(inventory: Inventory) -> dict[int, str]:
    """A port of everything that speaks InfiniBand, by the GUID of its end port."""
    ends = {end_port(port) for port in inventory.cables}
    return {port_guid(inventory, end): end for end in sorted(ends) if not links.usual_place(inventory, end).ethernet}


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
    return led_by(nodes[0], route)


def led_by(node: Node, route: tuple[int, ...]) -> Node | None:
    """Where a direct route from a node leads."""
    for number in route:
        port = node.port(number)
        if port is None or port.far is None:
            return None
        node = port.far.node
    return node


def _node(world: World, device: Switch | Hca, identity: str) -> Node:
    """A node that nobody has looked at yet."""
    count = device.ports if isinstance(device, Switch) else 1
    vendor, part = links.device_ids(device)
    return Node(
        identity,
        SWITCH if isinstance(device, Switch) else ADAPTER,
        device.guid,
        device.guid if isinstance(device, Switch) else device.port_guid,
        links.system_guid(device),
        links.description(world.inventory, device),
        vendor,
        part,
        count,
        device.rate,
        lid(world, end_port(f"{identity}/1")),
    )


def _ports(world: World, node: Node, suspects: Collection[str]) -> Iterator[Port]:
    """Its ports. One that is not among the `suspects` and has a cable is up, and as fast as both ends are."""
    cables = world.inventory.cables
    for number in range(1, node.port_count + 1):
        port = node.port_id(number)
        cable = cables.get(port)
        far = links.usual_place(world.inventory, cable.other(port)) if cable and port not in suspects else None
        if far and not far.ethernet:
            rate = min(node.best_rate, far.device.rate)
            yield Port(node, number, LogicalState.ACTIVE, PhysicalState.LINK_UP, rate)
            continue
        physical = links.physical_state(world, port) if cable else _empty(world, port)
        if physical is not PhysicalState.LINK_UP:
            yield Port(node, number, LogicalState.DOWN, physical, links.LOWEST_RATE)
        else:
            state, rate = links.state_when_up(world, port), links.rate_when_up(world, port)
            yield Port(node, number, state, physical, rate, lanes=links.lanes_when_up(world, port))


def _empty(world: World, port: str) -> PhysicalState:
    """Of a port without a cable."""
    return PhysicalState.POLLING if world.ports[port].enabled else PhysicalState.DISABLED

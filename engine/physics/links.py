"""Links between network ports: who is at the other end, whether the link is up, how fast it runs, and the ports'
states.

A port is `dgx-01/mlx5_0/1` (node, RDMA device, port) or `leaf-01/17` (switch, port). A link is up when both ends are
enabled and served (a node's by a running kernel with its driver, a switch's while it has power) and a cable that is
plugged in and good enough joins them; it runs at the lowest rate among ends and cable. In-band Ethernet ports go to
switches that a site may leave out; without a cable they count as up. A subnet manager must have initialized an
InfiniBand port before it becomes Active: that is latched in the port. Sources: InfiniBand architecture (port states),
rdma-core's tables of rates. Guess: with a bit error rate of 1e-6 or worse a link does not train.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.physics import optics
from engine.sites import catalogue
from engine.world.events import LinkChanged, LinkRateChanged, PlugChanged, SignalChanged
from engine.world.inventory import Cable, Hca, Inventory, Switch
from engine.world.records import BootPhase, LogicalState, PhysicalState, Power
from engine.world.world import World

LOWEST_RATE = 10
"""What an InfiniBand port without a link shows, in Gb/s."""

ETHERNET_LOWEST_RATE = 40
"""The same of an Ethernet port (4X QDR: what mlx5_query_port_roce of the kernel begins with)."""

LARGEST_MTU = 4096
"""Bytes of payload that an InfiniBand packet carries at most."""

LANES = optics.LANES
"""Lanes of a port and of a whole cable."""

_WORST_ERROR_EXPONENT = 6
_SERVED = (BootPhase.KERNEL, BootPhase.SERVICES, BootPhase.RUNNING)
_DRIVER = "mlx5_core"
_ETHERNET = "Ethernet"


@dataclass(frozen=True, slots=True)
class Speed:
    """A generation of InfiniBand: its name, Gb/s of a 4X link, and Gb/s of one lane on the wire as tools write it."""

    name: str
    rate: int
    lane: str


SPEEDS = (
    Speed("SDR", 10, "2.5"),
    Speed("DDR", 20, "5.0"),
    Speed("QDR", 40, "10.0"),
    Speed("FDR", 56, "14.0625"),
    Speed("EDR", 100, "25.78125"),
    Speed("HDR", 200, "53.125"),
    Speed("NDR", 400, "106.25"),
    Speed("XDR", 800, "212.5"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """What a port belongs to: an RDMA device of a node, or a switch; and its number there."""

    device: Hca | Switch
    number: int

    @property
    def ethernet(self) -> bool:
        """Whether it speaks Ethernet."""
        if isinstance(self.device, Switch):
            return self.device.kind == "ethernet"
        return self.device.link_layer == _ETHERNET


def place(inventory: Inventory, port: str) -> Place:
    """What the port belongs to. Raises BreakfixError or KeyError if the site has no such port."""
    device, _, number = port.rpartition("/")
    if "/" in device:
        return Place(inventory.hca(device), int(number))
    return Place(inventory.switches[device], int(number))


def usual_place(inventory: Inventory, port: str) -> Place:
    """The same port on the first node of the site that has the same parts: it tells the kind of a port without the
    node being built. Of a switch's port, `place`.
    """
    device, _, number = port.rpartition("/")
    if "/" not in device:
        return Place(inventory.switches[device], int(number))
    return inventory.once(("usual place", device), lambda: _usual_place(inventory, device))


def _usual_place(inventory: Inventory, device: str) -> Place:
    host, _, name = device.partition("/")
    if host in inventory.switches:
        return Place(inventory.hca(device), 1)
    found = inventory.hca(f"{inventory.pattern(host)}/{name}")
    return Place(inventory.hca(device) if found.identity else found, 1)


def ethernet(world: World, port: str) -> bool:
    """Whether a port speaks Ethernet as things are; an adapter's follows from its settings."""
    found = place(world.inventory, port)
    if isinstance(found.device, Hca) and world.adapters.generation:
        running = world.node(found.device.node).hcas_by_id.get(found.device.id, found.device)
        return running.link_layer == _ETHERNET
    return found.ethernet


def speed(rate: int) -> Speed:
    """The generation whose 4X rate this is, or the fastest below it."""
    return next((known for known in reversed(SPEEDS) if known.rate <= rate), SPEEDS[0])


def cable(inventory: Inventory, port: str) -> Cable | None:
    """The cable in a port, plugged in or not."""
    return inventory.cables.get(port)


def peer(inventory: Inventory, port: str) -> str | None:
    """The port at the other end of the cable."""
    found = cable(inventory, port)
    return found.other(port) if found else None


def served(world: World, port: str) -> bool:
    """Whether something drives the port: a switch that has power, or a running kernel with the driver."""
    host = port.partition("/")[0]
    if host not in world.inventory.node_index:
        return world.switches[host].powered
    state = world.nodes[host]
    loaded = world.systems[host].modules.get(_DRIVER, "") is not None
    return state.power is Power.ON and state.phase in _SERVED and loaded and _has_driver(world, port)


def _has_driver(world: World, port: str) -> bool:
    """Whether the kernel lists the function of a port and did not take its driver away."""
    if not world.pci_functions.generation:
        return True
    device = place(world.inventory, port).device
    return isinstance(device, Hca) and device.id in world.node(device.node).hcas_by_id


def link_up(world: World, port: str) -> bool:
    """Whether the port has a link."""
    return physical_state(world, port) is PhysicalState.LINK_UP


def suspects(world: World) -> frozenset[str]:
    """Ports whose link may be another than their ends alone make it: where something has an entry in the state, of the
    port, the host or switch, the cable, the plugs. All other ports that have a cable are up and Active.
    """
    inventory = world.inventory
    hosts = {name.partition("/")[0] for name in (*world.adapters.changed(), *world.pci_functions.changed())}
    for host in {*world.nodes.changed(), *world.systems.changed()} & inventory.node_index.keys():
        usual = next((hca.port for hca in inventory.node(host).hcas), None)
        hosts |= {host} if usual and not served(world, usual) else set()
    found = {hca.port for host in hosts & inventory.node_index.keys() for hca in inventory.node(host).hcas}
    for name in world.switches.changed():
        found |= {f"{name}/{number}" for number in range(1, inventory.switches[name].ports + 1)}
    found.update(world.ports.changed(), world.connectors.changed())
    for cages in world.optics.changed():
        found.update(_ports_of_cage(inventory, cages))
    ends = _ends_of_cables(inventory) if world.cables.changed() else {}
    found.update(end for cable in world.cables.changed() for end in ends[cable])
    return frozenset(found | {far for port in found if (far := peer(inventory, port))})


def _ports_of_cage(inventory: Inventory, cage: str) -> tuple[str, ...]:
    """The ports of a cage as `optics.cage` names it: at least those; a node's adapter has all of the node's."""
    device = cage.partition("/")[0]
    if device in inventory.switches:
        return optics.ports_of(inventory, f"{device}/{2 * int(cage.rpartition('cage')[2])}")
    return tuple(hca.port for hca in inventory.node(device).hcas)


def _ends_of_cables(inventory: Inventory) -> Mapping[str, tuple[str, str]]:
    """The ports at both ends of each cable, by the cable's id."""
    return inventory.once(("ends of cables",), lambda: {cable.id: cable.ends for cable in inventory.cables.values()})


def physical_state(world: World, port: str) -> PhysicalState:
    """Of a port, as it reports it itself."""
    if not world.ports[port].enabled or _set_down(world, port):
        return PhysicalState.DISABLED
    if not served(world, port):
        return PhysicalState.POLLING
    joined = cable(world.inventory, port)
    if joined is None:
        return PhysicalState.LINK_UP if ethernet(world, port) else PhysicalState.POLLING
    if _joins(world, joined, port):
        return PhysicalState.LINK_UP
    return PhysicalState.DISABLED if ethernet(world, port) else PhysicalState.POLLING


def _joins(world: World, joined: Cable, port: str) -> bool:
    """Whether the cable in a port makes a link with what is at its other end."""
    state, far = world.cables[joined.id], joined.other(port)
    held = state.plugged and not state.in_hand and not (state.flapping and state.flapping.down)
    if not (held and state.lanes and world.ports[far].enabled and served(world, far)):
        return False
    if world.ports[port].hung or world.ports[far].hung or ethernet(world, port) != ethernet(world, far):
        return False
    ports = world.ethernet_ports
    if ports.generation and ports[port].correction != ports[far].correction:
        return False
    lit = optics.working(world, port) and optics.working(world, far)
    return lit and optics.worst_exponent(world, joined) > _WORST_ERROR_EXPONENT


def logical_state(world: World, port: str) -> LogicalState:
    """Of a port: InfiniBand waits for a subnet manager between Initializing and Active."""
    return state_when_up(world, port) if link_up(world, port) else LogicalState.DOWN


def state_when_up(world: World, port: str) -> LogicalState:
    """Of a port that has a link."""
    ready = ethernet(world, port) or world.ports[port].initialized
    return LogicalState.ACTIVE if ready else LogicalState.INITIALIZING


def rate(world: World, port: str) -> int:
    """Gb/s at which the link runs; without one LOWEST_RATE, of an Ethernet port ETHERNET_LOWEST_RATE."""
    if not link_up(world, port):
        return ETHERNET_LOWEST_RATE if ethernet(world, port) else LOWEST_RATE
    return rate_when_up(world, port)


def rate_when_up(world: World, port: str) -> int:
    """Of a port that has a link: Gb/s at which it runs."""
    joined = cable(world.inventory, port)
    if joined is None:
        return place(world.inventory, port).device.rate
    return optics.fastest(world, joined, min(place(world.inventory, end).device.rate for end in joined.ends))


def lanes(world: World, port: str) -> int:
    """How many lanes a link uses; what its port has, if it has none."""
    return lanes_when_up(world, port) if link_up(world, port) else LANES


def lanes_when_up(world: World, port: str) -> int:
    """Of a port that has a link: how many lanes it uses."""
    joined = cable(world.inventory, port) if world.cables.generation else None
    return world.cables[joined.id].lanes if joined else LANES


def generation(world: World, port: str) -> Speed:
    """The generation at which the lanes of a port run."""
    return speed(rate(world, port) * LANES // lanes(world, port))


def mtu(world: World, port: str) -> int:
    """Bytes of payload in a packet of an InfiniBand link: the smaller of what its two ends were set to."""
    far = peer(world.inventory, port)
    return min(world.ports[end].mtu or LARGEST_MTU for end in ([port, far] if far else [port]))


def description(inventory: Inventory, device: Hca | Switch) -> str:
    """What a device calls itself in the fabric: `dgx-01 mlx5_0` (as rdma-ndd sets it), `MF0;leaf-01:MQM9700/U1`."""
    if device.identity:
        return device.identity.description
    if isinstance(device, Hca):
        return f"{device.node} {device.name}"
    return catalogue.switch_products()[device.model].description.format(name=device.name)


def system_guid(device: Hca | Switch) -> int:
    """The GUID of the system that a device is part of: a switch's own, that of a card's first function."""
    if device.identity:
        return device.identity.system_guid
    return device.guid if isinstance(device, Switch) else device.guid & ~_FUNCTION_BITS


_FUNCTION_BITS = 0xF


def device_ids(device: Hca | Switch) -> tuple[int, int]:
    """Vendor and device number that a device gives in its NodeInfo."""
    if device.identity:
        return device.identity.vendor, device.identity.device
    if isinstance(device, Hca):
        return _IEEE_VENDOR, int(device.pci_id.partition(":")[2], 16)
    product = catalogue.switch_products()[device.model]
    return product.vendor_id, product.device_id


_IEEE_VENDOR = 0x2C9


def set_enabled(simulation: Simulation[World], port: str, enabled: bool) -> None:
    """Switch a port on or off; both ends hear of it."""
    with telling(simulation, port):
        simulation.world.ports.update(port, enabled=enabled)


def change_cable(simulation: Simulation[World], found: Cable, **changes: object) -> None:
    """Plug, unplug or spoil a cable; both ends hear of it."""
    world, ends = simulation.world, found.ends
    before, had = [optics.error_exponent(world, end) for end in ends], optics.product(world, ends[0])
    with telling(simulation, ends[0]):
        world.cables.update(found.id, **changes)
    for end, exponent in zip(ends, before, strict=True):
        if optics.error_exponent(world, end) != exponent:
            simulation.publish(SignalChanged(end))
    if (has := optics.product(world, ends[0])) is None or had is None:
        for end in ends if has is not had else ():
            simulation.publish(PlugChanged(end, "plugged" if has else "unplugged"))


@contextmanager
def telling(simulation: Simulation[World], port: str) -> Iterator[None]:
    """Publish what becomes of the link of `port` meanwhile, for both ends: that it comes or goes, or its new rate."""
    far = peer(simulation.world.inventory, port)
    ends = [port, far] if far else [port]
    before = [(link_up(simulation.world, end), rate(simulation.world, end)) for end in ends]
    yield
    for end, (was_up, old_rate) in zip(ends, before, strict=True):
        is_up = link_up(simulation.world, end)
        if is_up != was_up:
            simulation.publish(LinkChanged(end, is_up))
        elif is_up and rate(simulation.world, end) != old_rate:
            simulation.publish(LinkRateChanged(end))


def _set_down(world: World, port: str) -> bool:
    """Whether an administrator of the host set the network interface of an Ethernet port down."""
    host, _, rest = port.partition("/")
    down = world.systems[host].interfaces_down if host in world.inventory.node_index else ()
    if not down or not rest.endswith("/1"):
        return False
    found = place(world.inventory, port).device
    return isinstance(found, Hca) and found.link_layer == _ETHERNET and found.netdev in down

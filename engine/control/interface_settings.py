"""What people set on network interfaces: MTU, addresses, alias (ip), and what ethtool sets; until the host restarts.

Adapters whose port the MTU belongs to send RDMA packets that fit from then on; the kernel's table of GIDs follows the
addresses. Limits: mlx5 takes an MTU from 68 to 9978 (Linux 6.8, mlx5e_port_max_mtu less headers), ixgbe up to 9710.
Restarts bring back what the site configured.
"""

from __future__ import annotations

from ipaddress import ip_interface

from engine.control import network, roce_gids
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.physics import host_interfaces
from engine.world.events import NodeStopping
from engine.world.inventory import Hca
from engine.world.records import InterfaceState
from engine.world.world import World

LEAST_MTU = 68
_MOST_MTU = {"802.1Q VLAN Support": 65_535, "mlx5_core": 9978, "ixgbe": 9710, "loopback": 65_536, "bonding": 65_535}


RINGS, MOST_RING, MOST_CHANNELS = 1024, 8192, 63
"""Entries of mlx5's rings as they begin and at most; channels at most (a CPU each)."""


def channels(world: World, host: str, hca: Hca) -> int:
    """Combined channels of an adapter's interface: as set, or one for each CPU."""
    cpu = world.inventory.node(host).cpu
    return state(world, host, hca.netdev).channels or min(MOST_CHANNELS, cpu.sockets * cpu.cores * cpu.threads)


def most_mtu(interface: network.Interface) -> int:
    """The largest MTU that an interface takes, in bytes."""
    if interface.kind == "loopback":
        return _MOST_MTU["loopback"]
    return _MOST_MTU.get(interface.driver, 1500)


def state(world: World, host: str, name: str) -> InterfaceState:
    """What was set on an interface since the boot."""
    return world.interfaces[host_interfaces.key(host, name)]


@dataclass(frozen=True, slots=True)
class SetMtu(Action):
    """ip link set NAME mtu N; a bond hands it on to its members. Gives a refusal in the kernel's words, or None."""

    host: str
    name: str
    mtu: int

    def perform(self, simulation: Simulation[World]) -> str | None:
        world = simulation.world
        found = network.interface(world, self.host, self.name)
        if found is None:
            return f'Cannot find device "{self.name}"'
        if self.mtu < LEAST_MTU:
            return "Error: mtu less than device minimum."
        below = network.interface(world, self.host, found.parent) if found.parent else None
        if below and self.mtu > below.mtu:
            return "RTNETLINK answers: Numerical result out of range"
        if self.mtu > most_mtu(found):
            return "Error: mtu greater than device maximum."
        from engine.physics.ethernet.settings import changing

        names = (self.name, *found.members)
        with changing(simulation, [hca.port for hca in world.node(self.host).hcas if hca.netdev in names]):
            world.interfaces.update(host_interfaces.key(self.host, self.name), mtu=self.mtu)
        return None


@dataclass(frozen=True, slots=True)
class AddVlan(Action):
    """ip link add link PARENT name NAME type vlan id N: down at first. Gives a refusal in ip's words, or None."""

    host: str
    parent: str
    name: str
    vlan: int

    def perform(self, simulation: Simulation[World]) -> str | None:
        world = simulation.world
        found = network.interfaces(world, self.host)
        if all(each.name != self.parent for each in found):
            return f'Cannot find device "{self.parent}"'
        if any(self.name == each.name or (each.parent, each.vlan) == (self.parent, self.vlan) for each in found):
            return "RTNETLINK answers: File exists"
        state = InterfaceState(vlan=self.vlan, parent=self.parent)
        world.interfaces[host_interfaces.key(self.host, self.name)] = state
        down = world.systems[self.host].interfaces_down
        world.systems.update(self.host, interfaces_down=tuple(sorted((*down, self.name))))
        return None


@dataclass(frozen=True, slots=True)
class RemoveInterface(Action):
    """ip link del NAME, with its addresses and GIDs. Gives a refusal in ip's words, or None."""

    host: str
    name: str

    def perform(self, simulation: Simulation[World]) -> str | None:
        world = simulation.world
        found = network.interface(world, self.host, self.name)
        if found is None:
            return f'Cannot find device "{self.name}"'
        if not found.parent:
            return "RTNETLINK answers: Operation not supported"
        _put(world, found, self.host, ())
        world.interfaces.forget(host_interfaces.key(self.host, self.name))
        down = tuple(name for name in world.systems[self.host].interfaces_down if name != self.name)
        world.systems.update(self.host, interfaces_down=down)
        return None


@dataclass(frozen=True, slots=True)
class AddAddress(Action):
    """ip address add CIDR dev NAME. Gives a refusal in ip's words, or None."""

    host: str
    name: str
    cidr: str

    def perform(self, simulation: Simulation[World]) -> str | None:
        found = network.interface(simulation.world, self.host, self.name)
        if found is None:
            return f'Cannot find device "{self.name}"'
        if self.cidr in found.addresses:
            six = ip_interface(self.cidr).version == 6
            return "RTNETLINK answers: File exists" if six else "Error: ipv4: Address already assigned."
        _put(simulation.world, found, self.host, (*_given(simulation.world, self.host, found), self.cidr))
        return None


@dataclass(frozen=True, slots=True)
class RemoveAddress(Action):
    """ip address del CIDR dev NAME. Gives a refusal in ip's words, or None."""

    host: str
    name: str
    cidr: str

    def perform(self, simulation: Simulation[World]) -> str | None:
        found = network.interface(simulation.world, self.host, self.name)
        if found is None:
            return f'Cannot find device "{self.name}"'
        given = _given(simulation.world, self.host, found)
        if self.cidr not in given:
            six = ":" in self.cidr
            return "RTNETLINK answers: Cannot assign requested address" if six else "Error: ipv4: Address not found."
        _put(simulation.world, found, self.host, tuple(each for each in given if each != self.cidr))
        return None


@dataclass(frozen=True, slots=True)
class SetOnInterface(Action):
    """Set fields of an interface's state that nothing else follows from (alias, rings, channels, pause, ...)."""

    host: str
    name: str
    changes: tuple[tuple[str, object], ...]

    def perform(self, simulation: Simulation[World]) -> None:
        simulation.world.interfaces.update(host_interfaces.key(self.host, self.name), **dict(self.changes))


def _given(world: World, host: str, found: network.Interface) -> tuple[str, ...]:
    """Addresses of an interface as they were given, without the link-local one that the kernel makes."""
    kept = state(world, host, found.name).addresses
    if kept is not None:
        return kept
    return tuple(each for each in found.addresses if not each.startswith("fe80"))


def _put(world: World, found: network.Interface, host: str, addresses: tuple[str, ...]) -> None:
    """Give an interface these addresses, and its RDMA devices the GIDs that follow."""
    before = set(_given(world, host, found))
    places = roce_gids.places(world, host, found.parent or found.name)
    for cidr in sorted(before - set(addresses)):
        places = roce_gids.without_address(places, _in_gids(found, cidr))
    for cidr in addresses:
        if cidr not in before:
            places = roce_gids.with_address(places, _in_gids(found, cidr))
    world.interfaces.update(host_interfaces.key(host, found.name), addresses=addresses)
    world.interfaces.update(host_interfaces.key(host, found.parent or found.name), gids=places)


def _in_gids(found: network.Interface, cidr: str) -> str:
    return roce_gids.of_vlan(cidr, found.name) if found.parent else cidr


def _node_stopping(simulation: Simulation[World], event: NodeStopping) -> None:
    """The next boot configures interfaces anew."""
    interfaces = simulation.world.interfaces
    for name in interfaces.changed():
        if name.partition("/")[0] == event.node:
            interfaces.forget(name)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((NodeStopping, _node_stopping),)

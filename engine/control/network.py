"""The network interfaces of a host, and who reaches whom.

Interfaces follow from the inventory; a port has a link if its cable is good, both ends are enabled and the far end has
power. Ethernet is not cabled in site files: such interfaces hang on the site's plain LAN, which works. Traffic is a
steady rate drawn per interface, in a first form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from ipaddress import ip_interface

from engine.control import journald
from engine.control.host_names import HostEntry, host_entries, owner, resolve
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import host_interfaces, links
from engine.world.inventory import Address, Hca, Node
from engine.world.records import BootPhase
from engine.world.world import World

__all__ = [
    "Counters",
    "HostEntry",
    "Interface",
    "SetInterface",
    "counters",
    "host_entries",
    "interface",
    "interfaces",
    "link_local",
    "owner",
    "port_has_link",
    "reachable",
    "resolve",
]

_IPOIB_MTU = 4092


@dataclass(frozen=True, slots=True)
class Interface:
    """A network interface: `kind` is loopback, ether, infiniband, bond or vlan; `addresses` with their prefix; speeds
    in Mb/s; of a VLAN its id and the `parent` that it stands on.
    """

    index: int
    name: str
    kind: str
    mac: str
    mtu: int
    addresses: tuple[str, ...]
    up: bool
    carrier: bool
    master: str | None = None
    members: tuple[str, ...] = ()
    driver: str = ""
    pci_address: str | None = None
    speed: int = 0
    permanent: str = ""
    """Its own MAC where it shows another: members of a bond take the bond's."""
    parent: str = ""
    vlan: int = 0


@dataclass(frozen=True, slots=True)
class Counters:
    """What an interface has moved since the boot."""

    rx_bytes: int
    rx_packets: int
    tx_bytes: int
    tx_packets: int
    rx_errors: int = 0
    tx_errors: int = 0
    rx_dropped: int = 0
    tx_dropped: int = 0


def reachable(world: World, source: str, target: str) -> bool:
    """Whether `source` (a node) gets an answer from `target` (a name or an address)."""
    if not _answers(world, source):
        return False
    found = owner(world, target)
    if found is None:
        return (resolve(world, target) or "").startswith("127.")
    what, name = found
    if what == "switch" and name in world.inventory.switches:
        return world.switches[name].powered
    return (_answers(world, name) and _joined(world, source, name, target)) if what == "node" else True


def _joined(world: World, source: str, host: str, target: str) -> bool:
    """Whether the interfaces between two hosts work: the one that holds the address, and the one in its network."""
    changes = (world.interfaces, world.ports, world.cables, world.adapters)
    quiet = not any(table.generation for table in changes)
    systems = world.systems[source], world.systems[host]
    if source == host or (quiet and not any(each.interfaces_down or each.sysctl for each in systems)):
        return True
    from engine.control import neighbours

    address = resolve(world, target) or ""
    theirs = [each for each in interfaces(world, host) if address in _plain(each)]
    if not all(each.up and each.carrier for each in theirs) or neighbours.refused(world, source, address):
        return False
    near = [each for each in interfaces(world, source) for own in theirs if _meet(each, own)]
    return any(each.up and each.carrier for each in near) if near else True


def _plain(interface: Interface) -> list[str]:
    return [cidr.partition("/")[0] for cidr in interface.addresses]


def _meet(one: Interface, other: Interface) -> bool:
    """Whether two interfaces have IPv4 addresses in the same network."""
    networks = [
        {str(ip_interface(cidr).network) for cidr in each.addresses if "." in cidr and each.kind != "loopback"}
        for each in (one, other)
    ]
    return bool(networks[0] & networks[1])


def interfaces(world: World, host: str) -> Sequence[Interface]:
    """The interfaces of a host, in the kernel's order."""
    return world.derived(("interfaces", host), lambda: _interfaces(world, host))


def _interfaces(world: World, host: str) -> tuple[Interface, ...]:
    node, down = _as_set(world, world.node(host)), world.systems[host].interfaces_down
    masters = {member: address for address in node.addresses for member in address.members}
    found = [Interface(1, "lo", "loopback", "00:00:00:00:00:00", 65_536, ("127.0.0.1/8", "::1/128"), True, True)]
    own = {hca.netdev: address for hca in node.hcas for address in node.addresses if address.interface == hca.netdev}
    own |= _given_by_hand(world, node.hcas, own, masters)
    plain = [address for address in node.addresses if not address.members and address.interface not in own]
    found += [_ethernet(address, address.interface not in down) for address in plain]
    found += [
        _roce(world, hca, masters.get(hca.netdev), own.get(hca.netdev), hca.netdev not in down)
        if hca.link_layer == "Ethernet"
        else _ipoib(world, hca, hca.netdev not in down)
        for hca in node.hcas
    ]
    for bond in (address for address in node.addresses if address.members):
        carrier = any(each.carrier and each.up for each in found if each.name in bond.members)
        found.append(_bond(bond, bond.interface not in down, carrier))
    found += _vlans(world, host, {each.name: each for each in found}, down)
    return tuple(replace(each, index=index) for index, each in enumerate(found, 1))


def _vlans(world: World, host: str, below: Mapping[str, Interface], down: Sequence[str]) -> list[Interface]:
    """The VLAN interfaces that people made on others, in the order in which they did. They end with the link below."""
    found = []
    for key in world.interfaces.changed() if world.interfaces.generation else ():
        state, (owner_, _, name) = world.interfaces[key], key.partition("/")
        if owner_ != host or state.vlan is None or state.parent not in below:
            continue
        parent, up = below[state.parent], name not in down
        carrier = up and parent.up and parent.carrier
        addresses = (*(state.addresses or ()), *((link_local(parent.mac),) if carrier else ()))
        found.append(
            replace(
                parent, name=name, kind="vlan", mtu=min(state.mtu or parent.mtu, parent.mtu), addresses=addresses,
                up=up, carrier=carrier, master=None, members=(), driver="802.1Q VLAN Support", pci_address=None,
                permanent="", parent=parent.name, vlan=state.vlan,
            )
        )  # fmt: skip
    return found


def interface(world: World, host: str, name: str) -> Interface | None:
    """The interface of that name, or None."""
    return next((each for each in interfaces(world, host) if each.name == name), None)


def _as_set(world: World, node: Node) -> Node:
    """The node with the MTU and addresses that people gave its interfaces."""
    if not world.interfaces.generation:
        return node
    changed = tuple((each, _changed(world, node.name, each)) for each in node.addresses)
    return replace(node, addresses=tuple(after for _, after in changed)) if any(a != b for a, b in changed) else node


def _changed(world: World, host: str, address: Address) -> Address:
    """An interface's record as people changed it; several addresses stand side by side."""
    state = world.interfaces[host_interfaces.key(host, address.interface)]
    cidr = address.cidr if state.addresses is None else " ".join(state.addresses)
    return replace(address, mtu=state.mtu or address.mtu, cidr=cidr)


def _given_by_hand(
    world: World, hcas: tuple[Hca, ...], own: Mapping[str, Address], masters: Mapping[str, Address]
) -> dict[str, Address]:
    """Interfaces of RDMA devices for which the site configured nothing and somebody did."""
    found = {}
    for hca in hcas if world.interfaces.generation else ():
        state = world.interfaces[host_interfaces.key(hca.node, hca.netdev)]
        if hca.netdev not in own and hca.netdev not in masters and (state.mtu or state.addresses):
            cidrs = " ".join(state.addresses or ())
            found[hca.netdev] = Address(hca.netdev, "", cidrs, hca.mac, state.mtu or host_interfaces.USUAL_MTU)
    return found


def _listed(address: Address, linked: bool) -> tuple[str, ...]:
    """The addresses of an interface; with a link the kernel adds the link-local one."""
    return (*address.cidr.split(), link_local(address.mac)) if linked else tuple(address.cidr.split())


def counters(world: World, host: str, name: str, now: int) -> Counters:
    """What an interface has moved since the boot. IPoIB devices without an address are quiet."""
    found = interface(world, host, name)
    if found is None or not (found.up and found.carrier):
        return Counters(0, 0, 0, 0)
    rate = _rate(world, host, found)
    lasted = max(0, now - world.nodes[host].booted_at)
    received, sent = (hash64(world.seed, host, name, way) % 400 + 800 for way in ("rx", "tx"))
    rx, tx = (rate * share // 1000 * lasted // SECOND for share in (received, sent))
    return Counters(rx, rx // 870, tx, tx // 640)


def port_has_link(world: World, port: str) -> bool:
    """Whether the RDMA or switch port `dgx-01/mlx5_0/1` or `leaf-01/17` has a physical link."""
    return port in world.inventory.cables and links.link_up(world, port)


def link_local(mac: str) -> str:
    """The IPv6 address fe80::/64 that follows from a MAC."""
    octets = [int(part, 16) for part in mac.split(":")]
    octets[0] ^= 2
    words = [octets[0] << 8 | octets[1], octets[2] << 8 | 0xFF, 0xFE00 | octets[3], octets[4] << 8 | octets[5]]
    return str(ip_interface("fe80::" + ":".join(f"{word:x}" for word in words)).ip) + "/64"


def _link_local_of_guid(guid: int) -> str:
    """The IPv6 address fe80::/64 of an IPoIB device: its port's GUID, marked as universal (RFC 4391)."""
    text = f"{guid | 2 << 56:016x}"
    words = ":".join(text[start : start + 4] for start in range(0, 16, 4))
    return f"{ip_interface(f'fe80::{words}').ip}/64"


@dataclass(frozen=True, slots=True)
class SetInterface(Action):
    """ip link set NAME up, or down. Gives `Cannot find device "NAME"` or None."""

    host: str
    name: str
    up: bool

    def perform(self, simulation: Simulation[World]) -> str | None:
        world = simulation.world
        found = interface(world, self.host, self.name)
        if found is None:
            return f'Cannot find device "{self.name}"'
        down = [name for name in world.systems[self.host].interfaces_down if name != self.name]
        with _telling(simulation, self.host, self.name):
            world.systems.update(self.host, interfaces_down=tuple(sorted(down if self.up else [*down, self.name])))
        if found.up != self.up and found.kind in ("ether", "bond") and found.pci_address:
            now = interface(world, self.host, self.name)
            state = "up" if now and now.up and now.carrier else "down"
            journald.kernel(simulation, self.host, f"{found.driver} {found.pci_address} {self.name}: Link {state}")
            if found.master:
                what = f"up, {found.speed} Mbps full duplex" if state == "up" else "down, disabling slave"
                text = f"{found.master}: (slave {self.name}): link status definitely {what}"
                journald.kernel(simulation, self.host, text)
        return None


def _telling(simulation: Simulation[World], host: str, name: str) -> AbstractContextManager[None]:
    """Others hear what becomes of the link of an RDMA device's interface."""
    hcas = simulation.world.node(host).hcas
    port = next((hca.port for hca in hcas if hca.netdev == name), None)
    return links.telling(simulation, port) if port else nullcontext()


def _answers(world: World, host: str) -> bool:
    return world.nodes[host].phase in (BootPhase.SERVICES, BootPhase.RUNNING)


def _ethernet(address: Address, up: bool) -> Interface:
    return Interface(
        0,
        address.interface,
        "ether",
        address.mac,
        address.mtu,
        _listed(address, up),
        up,
        up,
        driver=address.driver,
        pci_address=address.pci_address,
        speed=10_000,
    )


def _roce(world: World, hca: Hca, bond: Address | None, own: Address | None, up: bool) -> Interface:
    """The netdev of an RDMA device for Ethernet: in a bond, with an address of its own, or with none."""
    carrier, configured = up and links.link_up(world, hca.port), bond or own
    addresses = _listed(own, carrier) if own else ()
    return Interface(
        0,
        hca.netdev,
        "ether",
        bond.mac if bond else hca.mac,
        configured.mtu if configured else 1500,
        addresses,
        up,
        carrier,
        bond.interface if bond else None,
        (),
        "mlx5_core",
        hca.address,
        (links.rate(world, hca.port) if carrier else hca.rate) * 1000,
        hca.mac,
    )


def _ipoib(world: World, hca: Hca, up: bool) -> Interface:
    """The netdev of an InfiniBand device."""
    guid = f"{hca.port_guid:016x}"
    hardware = f"00:00:10:49:fe:80:00:00:00:00:00:00:{':'.join(guid[i : i + 2] for i in range(0, 16, 2))}"
    carrier = up and port_has_link(world, hca.port)
    return Interface(
        0,
        hca.netdev,
        "infiniband",
        hardware,
        _IPOIB_MTU,
        (_link_local_of_guid(hca.port_guid),) if carrier else (),
        up,
        carrier,
        None,
        (),
        "mlx5_core[ib_ipoib]",
        hca.address,
        hca.rate * 1000,
    )


def _bond(bond: Address, up: bool, carrier: bool) -> Interface:
    addresses = _listed(bond, up and carrier)
    return Interface(
        0,
        bond.interface,
        "bond",
        bond.mac,
        bond.mtu,
        addresses,
        up,
        up and carrier,
        None,
        bond.members,
        bond.driver or "bonding",
    )


def _rate(world: World, host: str, interface: Interface) -> int:
    """Bytes per second: much on the in-band network, little on management, hardly any on IPoIB."""
    draw = hash64(world.seed, host, interface.name, "rate") % 1000
    if interface.kind == "infiniband":
        return 0
    if interface.kind == "loopback":
        return 900 + draw
    return (2_400_000 + 2_100 * draw) if interface.kind == "bond" or interface.master else 6_000 + 11 * draw

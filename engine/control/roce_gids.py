"""The GID tables of RoCE ports, as the kernel keeps them (drivers/infiniband/core/roce_gid_mgmt.c and cache.c, 6.8).

The link-local address that follows from the MAC takes the first places. Each address of the interface (or of its bond)
then takes the first free places, one for RoCE v1 and one for v2; a removed address leaves its places free. So indices
depend on the order in which addresses came. Addresses of a VLAN on the interface do the same, as entries of the VLAN. A
link-local IPv6 address of the interface is the same GID and takes none.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_interface

from engine.kernel.quick_dataclass import dataclass
from engine.physics import host_interfaces
from engine.world.inventory import Hca
from engine.world.world import World

V1, V2 = "IB/RoCE v1", "RoCE v2"
VERSIONS = (V1, V2)
"""Types as sysfs writes them, in the order of the places."""

LINK_LOCAL_PREFIX = 0xFE80_0000_0000_0000
_MAPPED_PREFIX = 0xFFFF
_OF = "%"


@dataclass(frozen=True, slots=True)
class Gid:
    """An entry in use: its index, the GID as a number, its type, its address ("": the link-local one), and the VLAN
    interface that holds it ("": the port's own).
    """

    index: int
    value: int
    version: str
    address: str = ""
    vlan: str = ""

    @property
    def is_ipv4(self) -> bool:
        """Whether it stands for an IPv4 address."""
        return self.value >> 32 == _MAPPED_PREFIX


def table(world: World, hca: Hca) -> tuple[Gid, ...]:
    """The entries of an Ethernet port's table that are in use, by index."""
    return tuple(_entries(world, hca))


def entry(world: World, hca: Hca, index: int) -> Gid | None:
    """The entry at an index, or None if it is not in use."""
    return next((each for each in _entries(world, hca) if each.index == index), None)


def places(world: World, host: str, name: str) -> tuple[str, ...]:
    """Addresses of an interface (without prefix) in the order of GID tables, "" for a place that is free again."""
    address = host_interfaces.configured(world.inventory.node(host), name)
    owner = address.interface if address else name
    kept = world.interfaces[host_interfaces.key(host, owner)].gids if world.interfaces.generation else None
    if kept is not None:
        return kept
    return (_plain(address.cidr),) if address else ()


def with_address(found: tuple[str, ...], address: str) -> tuple[str, ...]:
    """The places after an address was added."""
    plain = _plain(address)
    if plain in found or plain.startswith("fe80"):
        return found
    if "" in found:
        free = found.index("")
        return (*found[:free], plain, *found[free + 1 :])
    return (*found, plain)


def without_address(found: tuple[str, ...], address: str) -> tuple[str, ...]:
    """The places after an address was removed."""
    plain = _plain(address)
    left = [("" if each == plain else each) for each in found]
    while left and not left[-1]:
        left.pop()
    return tuple(left)


def text(value: int) -> str:
    """A GID as sysfs writes it: `fe80:0000:0000:0000:0ac0:ebff:fe12:3456`."""
    digits = f"{value:032x}"
    return ":".join(digits[start : start + 4] for start in range(0, 32, 4))


def interface_id(mac: str) -> int:
    """The modified EUI-64 of a MAC address (RFC 4291)."""
    number = int(mac.replace(":", ""), 16)
    return (number >> 24 << 40 | 0xFFFE << 24 | number & 0xFFFFFF) ^ 1 << 57


def _entries(world: World, hca: Hca) -> Iterator[Gid]:
    own = LINK_LOCAL_PREFIX << 64 | interface_id(hca.mac)
    yield from (Gid(index, own, version) for index, version in enumerate(VERSIONS))
    for place, held in enumerate(places(world, hca.node, hca.netdev), 1):
        if held:
            address, _, vlan = held.partition(_OF)
            value = _value(address)
            yield from (Gid(2 * place + step, value, version, address, vlan) for step, version in enumerate(VERSIONS))


def _value(address: str) -> int:
    parsed = ip_interface(address)
    return _MAPPED_PREFIX << 32 | int(parsed.ip) if parsed.version == 4 else int(parsed.ip)


def of_vlan(cidr: str, name: str) -> str:
    """An address as the table keeps it that a VLAN interface holds."""
    return f"{_plain(cidr)}{_OF}{name}"


def _plain(cidr: str) -> str:
    return cidr.partition("/")[0]

"""Names and addresses of the site, as from one /etc/hosts that every host has.

A node has its name (and that with the site's domain) on the management network, `<node>-<network>` on its others
and `<node>-bmc` for its BMC; switches have theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Inventory
from engine.world.world import World

_MANAGEMENT = "management"
_BMC = "-bmc"


@dataclass(frozen=True, slots=True)
class HostEntry:
    """A line of /etc/hosts."""

    address: str
    names: tuple[str, ...]


def host_entries(world: World) -> tuple[HostEntry, ...]:
    """Every name of the site with its address, in the order of the site file."""
    return world.inventory.once(("hosts",), lambda: tuple(_host_entries(world.inventory)))


def resolve(world: World, name: str) -> str | None:
    """The address of a name (or of an address, itself), or None. Looks only at the node or switch that is meant."""
    inventory, plain = world.inventory, name.lower().removesuffix(f".{world.inventory.domain}")
    if plain == "localhost":
        return "127.0.0.1"
    if plain in inventory.switches:
        return inventory.switches[plain].address
    for entry in _entries_named(inventory, plain):
        if plain in entry.names:
            return entry.address
    return name if name in _owners(inventory) else None


def owner(world: World, name_or_address: str) -> tuple[str, str] | None:
    """(what, name) behind a name or an address: what is node, bmc or switch."""
    inventory, plain = world.inventory, name_or_address.lower().removesuffix(f".{world.inventory.domain}")
    if plain in inventory.switches:
        return "switch", plain
    if plain.removesuffix(_BMC) in inventory.node_index:
        return ("bmc" if plain.endswith(_BMC) else "node"), plain.removesuffix(_BMC)
    address = resolve(world, name_or_address)
    return _owners(inventory).get(address) if address else None


def _host_entries(inventory: Inventory) -> Iterator[HostEntry]:
    yield HostEntry("127.0.0.1", ("localhost",))
    for name in inventory.node_names:
        yield from _entries(inventory, name)
    for switch in inventory.switches.values():
        yield HostEntry(switch.address, (switch.name, f"{switch.name}.{inventory.domain}"))


def _entries(inventory: Inventory, node: str) -> Iterator[HostEntry]:
    """The lines of one node."""
    for network, cidr in inventory.addresses(node).items():
        names = (node, f"{node}.{inventory.domain}") if network == _MANAGEMENT else (f"{node}-{network}",)
        yield HostEntry(_plain(cidr), names)


def _entries_named(inventory: Inventory, name: str) -> Iterator[HostEntry]:
    """The lines of the node that a name may belong to: the name itself, or what stands before its last dash."""
    for candidate in (name, name.rpartition("-")[0]):
        if candidate in inventory.node_index:
            yield from _entries(inventory, candidate)


def _owners(inventory: Inventory) -> Mapping[str, tuple[str, str]]:
    """What stands behind each address."""

    def make() -> Mapping[str, tuple[str, str]]:
        found = {switch.address: ("switch", switch.name) for switch in inventory.switches.values()}
        for name in inventory.node_names:
            for network, cidr in inventory.addresses(name).items():
                found[_plain(cidr)] = ("bmc" if network == "bmc" else "node", name)
        return MappingProxyType(found)

    return inventory.once(("owners by address",), make)


def _plain(cidr: str) -> str:
    return cidr.partition("/")[0]

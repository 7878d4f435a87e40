"""Names and addresses of the site, as from one /etc/hosts that every host has.

A node has its name (and that with the site's domain) on the management network, `<node>-<network>` on its others
and `<node>-bmc` for its BMC; switches have theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from engine.control import files
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Inventory
from engine.world.world import World

HOSTS_FILE = "/etc/hosts"
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
    return name if name in _owners(inventory) or _holder(world, name) else None


def address_on(world: World, host: str, name: str) -> str | None:
    """The address of a name as programs of `host` find it: by its /etc/hosts, where somebody changed that, then the
    site's.
    """
    if files.changed(world, host, HOSTS_FILE):
        for line in files.text(world, host, HOSTS_FILE, "").splitlines():
            words = line.partition("#")[0].lower().split()
            if name.lower() in words[1:]:
                return words[0]
    return resolve(world, name)


def is_found(world: World, host: str, name: str) -> bool:
    """Whether the address that programs of `host` find for a node is one of that node's."""
    address = address_on(world, host, name)
    return address is not None and owner(world, address) == ("node", name)


def owner(world: World, name_or_address: str) -> tuple[str, str] | None:
    """(what, name) behind a name or an address: what is node, bmc or switch."""
    inventory, plain = world.inventory, name_or_address.lower().removesuffix(f".{world.inventory.domain}")
    if plain in inventory.switches:
        return "switch", plain
    if plain.removesuffix(_BMC) in inventory.node_index:
        return ("bmc" if plain.endswith(_BMC) else "node"), plain.removesuffix(_BMC)
    address = resolve(world, name_or_address)
    return _holder(world, address) if address else None


def _holder(world: World, address: str) -> tuple[str, str] | None:
    """What the site put behind an address, unless somebody took it away there; then whom somebody gave it to."""
    usual = _owners(world.inventory).get(address)
    if not world.interfaces.generation or (usual and usual[0] != "node"):
        return usual
    given = {name: world.interfaces[name].addresses for name in world.interfaces.changed()}
    if usual:
        configured = world.inventory.node(usual[1]).addresses
        interface = next((each.interface for each in configured if _plain(each.cidr) == address), "")
        now = given.get(f"{usual[1]}/{interface}")
        if now is None or any(_plain(cidr) == address for cidr in now):
            return usual
    holders = (name for name, now in given.items() if any(_plain(cidr) == address for cidr in now or ()))
    return next((("node", name.partition("/")[0]) for name in holders), None)


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

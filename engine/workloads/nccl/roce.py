"""RoCE addresses (GIDs): the table of a port, and which entry NCCL takes.

The kernel fills the table with the link-local address and then each IPv4 address of the interface (or its bond), each
as RoCE v1 and v2. NCCL takes the last RoCE v2 entry with an IPv4 address unless NCCL_IB_GID_INDEX names another; on
InfiniBand within one subnet it does not look at the index. Link-local addresses and RoCE v1 do not pass a router.
"""

from __future__ import annotations

from ipaddress import IPv4Interface, ip_interface

from engine.control import network
from engine.workloads.nccl.environment import Environment
from engine.world.inventory import Hca
from engine.world.world import World

_LINK_LOCAL_ENTRIES = 2


def ethernet(hca: Hca) -> bool:
    """Whether a device speaks RoCE."""
    return hca.link_layer == "Ethernet"


def table(world: World, hca: Hca) -> list[str]:
    """The addresses of a RoCE port, as inet_ntop writes them, by index."""
    own = network.link_local(hca.mac).partition("/")[0]
    mapped = [f"::ffff:{address.ip}" for address in _addresses(world, hca)]
    return [address for address in (own, *mapped) for _ in ("v1", "v2")]


def index(world: World, hca: Hca, environment: Environment) -> int:
    """The entry that NCCL takes."""
    asked = environment.number("NCCL_IB_GID_INDEX", -1)
    return asked if asked >= 0 else len(table(world, hca)) - 1


def address(world: World, hca: Hca, environment: Environment) -> str:
    """The address that NCCL takes; `::` for an entry that is not used."""
    entries, place = table(world, hca), index(world, hca, environment)
    return entries[place] if place < len(entries) else "::"


def missing(world: World, hca: Hca, environment: Environment) -> bool:
    """Whether the entry that NCCL takes holds no address."""
    return ethernet(hca) and index(world, hca, environment) >= len(table(world, hca))


def reaches(world: World, source: Hca, destination: Hca, environment: Environment) -> bool:
    """Whether packets from the address of `source` arrive at `destination`: always on InfiniBand and in one network."""
    if not ethernet(source):
        return True
    here, there = _addresses(world, source), _addresses(world, destination)
    if not here or not there or here[0].network == there[0].network:
        return True
    place = index(world, source, environment)
    return place >= _LINK_LOCAL_ENTRIES and place % 2 == 1


def _addresses(world: World, hca: Hca) -> list[IPv4Interface]:
    interface = network.interface(world, hca.node, hca.netdev)
    if interface and interface.master:
        interface = network.interface(world, hca.node, interface.master)
    found = [ip_interface(cidr) for cidr in (interface.addresses if interface else ())]
    return [each for each in found if isinstance(each, IPv4Interface)]

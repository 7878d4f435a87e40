"""RoCE addresses (GIDs): which entry of a port's table NCCL takes, and whom it reaches.

NCCL takes the last RoCE v2 entry with an IPv4 address unless NCCL_IB_GID_INDEX names another; on InfiniBand within one
subnet it does not look at the index. Link-local addresses and RoCE v1 do not pass a router. Both ends must use the same
version and family, or nobody answers; what answers for an IPv4 address is what the neighbour tables say. Ports of the
sites' switches carry no VLAN tags, so nobody answers behind an entry of a VLAN.
"""

from __future__ import annotations

from ipaddress import IPv4Interface, IPv6Address, ip_interface

from engine.control import network, roce_gids
from engine.control.roce_gids import V2, Gid
from engine.workloads.nccl.environment import Environment
from engine.world.inventory import Hca
from engine.world.world import World


def ethernet(hca: Hca) -> bool:
    """Whether a device speaks RoCE."""
    return hca.link_layer == "Ethernet"


def index(world: World, hca: Hca, environment: Environment) -> int:
    """The entry that NCCL takes."""
    asked = environment.number("NCCL_IB_GID_INDEX", -1)
    if asked >= 0:
        return asked
    entries = roce_gids.table(world, hca)
    suitable = [each for each in entries if each.version == V2 and each.is_ipv4]
    return (suitable or [each for each in entries if each.version == V2])[-1].index


def entry(world: World, hca: Hca, environment: Environment) -> Gid | None:
    """The entry that NCCL takes; None if it is not in use."""
    return roce_gids.entry(world, hca, index(world, hca, environment))


def address(world: World, hca: Hca, environment: Environment) -> str:
    """The address that NCCL takes, as inet_ntop writes it; `::` for an entry that is not used."""
    found = entry(world, hca, environment)
    if found is None:
        return "::"
    return f"::ffff:{found.address}" if found.is_ipv4 else str(IPv6Address(found.value))


def missing(world: World, hca: Hca, environment: Environment) -> bool:
    """Whether the entry that NCCL takes holds no address."""
    return ethernet(hca) and entry(world, hca, environment) is None


def unresolved(world: World, source: Hca, destination: Hca, environments: tuple[Environment, Environment]) -> bool:
    """Whether the kernel of `source` finds no neighbour behind the address that `destination` takes."""
    if not ethernet(source):
        return False
    from engine.control import neighbours

    there = entry(world, destination, environments[1])
    return bool(there and there.is_ipv4) and not neighbours.resolves(world, source, there.address if there else "")


def reaches(world: World, source: Hca, destination: Hca, environments: tuple[Environment, Environment]) -> bool:
    """Whether packets of `source` arrive at `destination` with the entries that both take: always on InfiniBand."""
    if not ethernet(source):
        return True
    here, there = (entry(world, hca, own) for hca, own in zip((source, destination), environments, strict=True))
    if here is None or there is None or here.version != there.version or here.is_ipv4 != there.is_ipv4:
        return False
    if here.vlan or there.vlan:
        return False
    from engine.control import neighbours

    if there.is_ipv4 and neighbours.answering(world, source, there.address) not in (None, destination.port):
        return False
    own, far = _addresses(world, source), _addresses(world, destination)
    near = not own or not far or own[0].network == far[0].network
    return near or (here.version == V2 and bool(here.address))


def _addresses(world: World, hca: Hca) -> list[IPv4Interface]:
    interface = network.interface(world, hca.node, hca.netdev)
    if interface and interface.master:
        interface = network.interface(world, hca.node, interface.master)
    found = [ip_interface(cidr) for cidr in (interface.addresses if interface else ())]
    return [each for each in found if isinstance(each, IPv4Interface)]

"""Who answers for an IPv4 address on a network, and whether a host's neighbour table has room for it.

Whoever holds an address on a live interface answers ARP. Where two hosts hold it, each asker believes the one that
answered it first: which one is drawn by asker and address (a guess). A table keeps an entry for each host of the same
networks that it exchanges RDMA with, and a few for the head; with more than net.ipv4.neigh.default.gc_thresh3 the
kernel refuses new ones (Linux 6.8, net/core/neighbour.c: `neighbor table overflow!`). Entries of the head and of
management come first, the others in an order drawn by host.
"""

from __future__ import annotations

from engine.control import journald, network, sysctl
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.world.inventory import Hca
from engine.world.world import World

LIMIT = "net.ipv4.neigh.default.gc_thresh3"
_OVERFLOW = "neighbour: arp_cache: neighbor table overflow!"


def holders(world: World, address: str) -> tuple[tuple[str, network.Interface], ...]:
    """Hosts that hold an address, with the interface: the one that the site gave it to first, if it still has it."""
    found = network.owner(world, address)
    hosts = [found[1]] if found and found[0] == "node" else []
    for name in world.interfaces.changed():
        given = world.interfaces[name].addresses or ()
        if any(each.partition("/")[0] == address for each in given):
            hosts.append(name.partition("/")[0])
    held = ((host, _holding(world, host, address)) for host in dict.fromkeys(hosts))
    return tuple((host, interface) for host, interface in held if interface)


def _holding(world: World, host: str, address: str) -> network.Interface | None:
    for each in network.interfaces(world, host):
        if each.up and each.carrier and any(cidr.partition("/")[0] == address for cidr in each.addresses):
            return each
    return None


def believed(world: World, asker: str, address: str) -> tuple[str, network.Interface] | None:
    """The host and interface behind an address as `asker` has learned it: itself if it holds the address too; None
    where nobody answers.
    """
    found = holders(world, address)
    own = [each for each in found if each[0] == asker]
    if own:
        return own[0]
    return found[hash64(world.seed, "first answer", asker, address) % len(found)] if found else None


def answering(world: World, hca: Hca, address: str) -> str | None:
    """The RDMA port that gets what `hca` sends to an address; None where that is as the site has it."""
    if not world.interfaces.generation:
        return None
    found = believed(world, hca.node, address)
    if found is None:
        return ""
    host, interface = found
    names = (interface.name, *interface.members)
    return next((each.port for each in world.node(host).hcas if each.netdev in names), "")


def resolves(world: World, hca: Hca, address: str) -> bool:
    """Whether the kernel finds a neighbour for an address: somebody answers, and the table takes the entry."""
    return not refused(world, hca.node, address) and answering(world, hca, address) != ""


def refused(world: World, host: str, address: str) -> bool:
    """Whether the table of a host has no room for an address."""
    if LIMIT not in world.systems[host].sysctl:
        return False
    wanted = needed(world, host)
    return address in wanted[int(sysctl.value(world, host, LIMIT)) :]


def overflows(world: World, host: str) -> bool:
    """Whether a host wants more entries than its table takes."""
    return LIMIT in world.systems[host].sysctl and len(needed(world, host)) > int(sysctl.value(world, host, LIMIT))


def needed(world: World, host: str) -> tuple[str, ...]:
    """Addresses of which a host wants entries, in the order in which they got them."""
    return world.inventory.once(("neighbours", world.seed, host), lambda: _needed(world, host))


def _needed(world: World, host: str) -> tuple[str, ...]:
    inventory = world.inventory
    node = inventory.node(host)
    rdma = {hca.netdev for hca in node.hcas if hca.link_layer == "Ethernet"}
    rails = {each.network for each in node.addresses if rdma & {each.interface, *each.members}}
    first, others = [], []
    for name in inventory.node_names:
        for place, cidr in inventory.addresses(name).items() if name != host else ():
            if place in rails:
                others.append(_plain(cidr))
            elif name == inventory.login_host and place != "bmc":
                first.append(_plain(cidr))
    return (*first, *sorted(others, key=lambda address: hash64(world.seed, "entry", host, address)))


def tell_overflow(simulation: Simulation[World], host: str) -> None:
    """The kernel complains if the table is too small for what the host wants."""
    if overflows(simulation.world, host):
        journald.kernel(simulation, host, _OVERFLOW)


def _plain(cidr: str) -> str:
    return cidr.partition("/")[0]

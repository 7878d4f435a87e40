"""Network interfaces as iproute2 6.1 speaks of them: flags, states, queues, routes and neighbours, from
engine.control.network.

Routes are those that follow from the addresses; no site has a router. A neighbour is stale, or has failed if its host
is down.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_interface, ip_network

from engine.commands.context import Context
from engine.control import neighbours as table
from engine.control import network
from engine.control.network import Interface
from engine.kernel.random import hash64

_IB_BROADCAST = "00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff"


@dataclass(frozen=True, slots=True)
class Route:
    """A route: where to, through which interface, from which address."""

    destination: str
    interface: Interface
    source: str
    metric: int | None = None


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A neighbour: its address, through which interface, its MAC and state."""

    address: str
    interface: str
    mac: str
    state: str


def flags(interface: Interface) -> list[str]:
    """The flags in angle brackets."""
    if interface.kind == "loopback":
        return ["LOOPBACK", *(["UP", "LOWER_UP"] if interface.up else [])]
    found = ["BROADCAST", "MULTICAST"]
    found += ["MASTER"] if interface.kind == "bond" else []
    found += ["SLAVE"] if interface.master else []
    if interface.up:
        found += ["UP", "LOWER_UP"] if interface.carrier else ["UP"]
        found = found if interface.carrier else ["NO-CARRIER", *found]
    return found


def state(interface: Interface) -> str:
    """UP, DOWN or UNKNOWN."""
    if interface.kind == "loopback":
        return "UNKNOWN" if interface.up else "DOWN"
    if interface.parent and interface.up and not interface.carrier:
        return "LOWERLAYERDOWN"
    return "UP" if interface.up and interface.carrier else "DOWN"


def shown_name(interface: Interface) -> str:
    """As ip writes it: of a VLAN with the interface below."""
    return f"{interface.name}@{interface.parent}" if interface.parent else interface.name


def queue(interface: Interface) -> str:
    """The queueing discipline."""
    return "noqueue" if interface.kind in ("loopback", "bond", "vlan") else "mq"


def queue_length(interface: Interface) -> int:
    return 256 if interface.kind == "infiniband" else 1000


def link_type(interface: Interface) -> str:
    """What stands after `link/`."""
    return {"loopback": "loopback", "infiniband": "infiniband"}.get(interface.kind, "ether")


def broadcast(interface: Interface) -> str:
    """The link layer's broadcast address."""
    names = {"loopback": "00:00:00:00:00:00", "infiniband": _IB_BROADCAST}
    return names.get(interface.kind, "ff:ff:ff:ff:ff:ff")


def address_facts(interface: Interface, address: str) -> dict[str, object]:
    """An address with what belongs to it, under the names of `ip -j`."""
    parsed = ip_interface(address)
    six = parsed.version == 6
    facts: dict[str, object] = {"family": "inet6" if six else "inet", "local": str(parsed.ip)}
    facts["prefixlen"] = parsed.network.prefixlen
    host = interface.kind == "loopback"
    if not six and not host:
        facts["broadcast"] = str(parsed.network.broadcast_address)
    facts["scope"] = "host" if host else "link" if address.startswith("fe80") else "global"
    if not six:
        facts["label"] = interface.name
    elif host:
        facts["noprefixroute"] = True
    return facts | {"valid_life_time": 4294967295, "preferred_life_time": 4294967295}


def routes(ctx: Context, version: int = 4) -> list[Route]:
    """The main table."""
    found = []
    for interface in network.interfaces(ctx.world, ctx.host):
        if not interface.up or interface.kind == "loopback":
            continue
        for address in interface.addresses:
            parsed = ip_interface(address)
            if parsed.version == version:
                metric = 256 if version == 6 else None
                found.append(Route(str(parsed.network), interface, str(parsed.ip), metric))
    return found


def route_to(ctx: Context, address: str) -> Route | None:
    """The route that a packet to `address` takes, or None."""
    target = ip_network(f"{address}/32" if ":" not in address else f"{address}/128")
    for route in routes(ctx, target.version):
        network_ = ip_network(route.destination)
        if target.version == network_.version and target.subnet_of(network_):  # type: ignore[arg-type]
            return route
    return None


def neighbours(ctx: Context) -> list[Neighbour]:
    """Hosts of the same networks, as far as they have been spoken to, as the neighbour table has them."""
    mine, found = {}, []
    for interface in network.interfaces(ctx.world, ctx.host):
        for address in interface.addresses if interface.up and interface.carrier else ():
            if interface.kind != "loopback" and ":" not in address:
                mine[str(ip_interface(address).network)] = interface.name
        given = ctx.world.interfaces[f"{ctx.host}/{interface.name}"].neighbours
        found += [Neighbour(each.address, interface.name, each.mac, "PERMANENT") for each in given]
    by_hand = {(each.address, each.interface) for each in found}
    for name in ctx.inventory.node_names:
        for network_, cidr in ctx.inventory.addresses(name).items() if name != ctx.host else ():
            parsed = ip_interface(cidr)
            through = mine.get(str(parsed.network))
            if through and (str(parsed.ip), through) not in by_hand and _known(ctx, name, network_, through):
                found += _learned(ctx, name, str(parsed.ip), through)
    return found


def _known(ctx: Context, name: str, network_: str, through: str) -> bool:
    """Whether the host has spoken to another one lately."""
    flushed = ctx.world.interfaces[f"{ctx.host}/{through}"].flushed
    return flushed is None and bool(hash64(ctx.host, name, network_, "neighbour") % 3)


def _learned(ctx: Context, name: str, address: str, through: str) -> list[Neighbour]:
    """The entry of an address; none where the table has no room."""
    if table.refused(ctx.world, ctx.host, address):
        return []
    believed = table.believed(ctx.world, ctx.host, address) if ctx.world.interfaces.generation else None
    if believed is not None and believed[0] == ctx.host:
        return []
    if believed is not None:
        return [Neighbour(address, through, believed[1].mac, "STALE")]
    if not network.reachable(ctx.world, ctx.host, address):
        return [Neighbour(address, through, "", "FAILED")]
    each = next((each for each in ctx.inventory.node(name).addresses if each.cidr.startswith(f"{address}/")), None)
    return [Neighbour(address, through, each.mac, "STALE")] if each else []

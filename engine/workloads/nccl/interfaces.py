"""The IP interface that NCCL meets its peers over, and over which sockets run where it has no network adapter.

Rules of src/misc/socket.cc: what NCCL_SOCKET_IFNAME names, or else interfaces that begin with `ib` and have an address,
then all but docker, lo and virbr, then docker, lo, virbr. Only interfaces that run count; the kernel lists IPv4
addresses of all interfaces before IPv6 ones, and an interface is taken once, with the first address it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_interface

from engine.control import network
from engine.kernel.quick_dataclass import dataclass
from engine.workloads.nccl.environment import Environment, Selection, parse_selection
from engine.world.world import World

_AUTOMATIC = ("ib", "^docker,lo,virbr", "docker", "lo", "virbr")
_FAMILIES = {"AF_INET": 4, "AF_INET6": 6}
_VARIABLE = "NCCL_SOCKET_IFNAME"


@dataclass(frozen=True, slots=True)
class SocketInterface:
    """An interface with the address that NCCL uses, and its speed in Mb/s."""

    name: str
    address: str
    speed: int


def socket_interfaces(world: World, host: str, environment: Environment) -> tuple[SocketInterface, ...]:
    """The interfaces that NCCL uses, best first; empty where it finds none."""
    listed = _addresses(world, host)
    family = _FAMILIES.get(environment.text("NCCL_SOCKET_FAMILY") or "")
    wanted = environment.text(_VARIABLE) or ""
    lists = (wanted,) if len(wanted) > 1 else _AUTOMATIC
    found = (_matching(listed, parse_selection(names), family) for names in lists)
    return next((each for each in found if each), ())


def bandwidth(interface: SocketInterface) -> float:
    """Gb/s of an interface."""
    return interface.speed / 1000


def _addresses(world: World, host: str) -> list[tuple[int, SocketInterface]]:
    """All addresses with their IP version, as getifaddrs lists them: IPv4 first."""
    running = [each for each in network.interfaces(world, host) if each.up and each.carrier]
    speeds = {each.name: each.speed for each in running}
    found = []
    for each in running:
        speed = each.speed or sum(speeds.get(member, 0) for member in each.members)
        for cidr in each.addresses:
            address = ip_interface(cidr)
            text = f"{address.ip}%{each.name}" if address.is_link_local and address.version == 6 else str(address.ip)
            found.append((address.version, SocketInterface(each.name, text, speed)))
    return sorted(found, key=lambda entry: entry[0])


def _matching(
    listed: Sequence[tuple[int, SocketInterface]], selection: Selection, family: int | None
) -> tuple[SocketInterface, ...]:
    found: dict[str, SocketInterface] = {}
    for version, interface in listed:
        suits = family in (None, version) and interface.address != "::1"
        if suits and interface.name not in found and selection.takes(interface.name):
            found[interface.name] = interface
    return tuple(found.values())

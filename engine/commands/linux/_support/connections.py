"""What becomes of a TCP connection to a host of the site: who listens, who refuses, who does not answer.

A port is open if a service or a program listens there (engine.control.sockets). What a service would say is not
modelled. There is no way out of the site.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.commands.context import Context
from engine.commands.linux._support import archive
from engine.commands.linux._support.names import Resolver
from engine.control import bmc, network, sockets
from engine.kernel.units import MILLISECOND

NO_ANSWER_AFTER = 3_064 * MILLISECOND
"""Three tries to resolve a neighbour's address, a second apart."""


class End(Enum):
    """How an attempt ends."""

    UNKNOWN_HOST = "Name or service not known"
    UNREACHABLE = "Network is unreachable"
    NO_ROUTE = "No route to host"
    REFUSED = "Connection refused"
    OPEN = "open"


_MANAGEMENT_PORTS = {"bmc": (22, 80, 443), "switch": (22, 80, 443)}


@dataclass(frozen=True, slots=True)
class Attempt:
    """A connection that was tried: to which address, how it ended, and after how long (ns)."""

    address: str
    end: End
    took: int = 0


def attempt(ctx: Context, name: str, port: int) -> Attempt:
    """What comes of connecting to `port` of a name or address. Waiting is left to the caller."""
    resolver = Resolver(ctx)
    address = resolver.address_of(name)
    if address is None:
        return Attempt("", End.UNKNOWN_HOST)
    found = resolver.owner_of(address)
    if found is None:
        return Attempt(address, End.UNREACHABLE)
    kind, owner = found
    if kind == "bmc" and not bmc.answers(ctx.world, owner, ctx.now, network=True):
        return Attempt(address, End.NO_ROUTE, NO_ANSWER_AFTER)
    local = owner == ctx.host and address.startswith("127.")
    if not local and not network.reachable(ctx.world, ctx.host, owner):
        return Attempt(address, End.NO_ROUTE, NO_ANSWER_AFTER)
    return Attempt(address, End.OPEN if _open(ctx, kind, owner, port, local) else End.REFUSED)


def _open(ctx: Context, kind: str, owner: str, port: int, local: bool) -> bool:
    if kind in _MANAGEMENT_PORTS:
        return port in _MANAGEMENT_PORTS[kind]
    if port == 80 and archive.serves_packages(ctx, owner):
        return True
    serves = sockets.service_listens(ctx.world, owner, port, local=local)
    return serves or sockets.listener(ctx.world, owner, port) is not None

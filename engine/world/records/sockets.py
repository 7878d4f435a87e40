"""What programs hold of the network: ports that they listen on, connections, and queue pairs of RDMA devices."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Listener:
    """A TCP port that a process of `host` listens on, on all addresses; `once`: it takes one connection and no more."""

    host: str
    port: int
    pid: int
    user: str
    program: str
    once: bool = False


@dataclass(frozen=True, slots=True)
class SocketEnd:
    """One end of a connection: whose it is, the address and port of this side, everything that was written into it in
    order, and whether it was closed.
    """

    host: str
    pid: int
    address: str
    port: int
    said: tuple[str, ...] = ()
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Connection:
    """A TCP connection; `number` names it, `client` is the end that asked for it."""

    number: int
    client: SocketEnd
    server: SocketEnd


@dataclass(frozen=True, slots=True)
class Sockets:
    """All listeners and connections of programs that somebody started; services' own ports follow from their units."""

    listeners: tuple[Listener, ...] = ()
    connections: tuple[Connection, ...] = ()
    made: int = 0
    """How many connections there ever were."""


@dataclass(frozen=True, slots=True)
class RdmaState:
    """An RDMA device: how many queue pairs and memory regions programs have made on it."""

    queue_pairs: int = 0
    regions: int = 0

"""TCP between programs of the site: who listens where, who is connected with whom, and what they have said.

A program listens (`Listen`), another connects (`Connect`); each end writes (`Say`) and reads what the other wrote,
in order, and closes (`Close`). A connection carries text: how long that takes is left to the programs.
What ends a process closes its sockets, so that the other end sees the end of the stream. Refusals are the C library's
words for errno. Ephemeral ports come from Linux's default range, 32768 to 60999.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_interface

from engine.control import network, service_state
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.world.events import ProcessesEnded
from engine.world.records import Connection, Listener, SocketEnd, Sockets
from engine.world.world import World

IN_USE = "Address already in use"
REFUSED = "Connection refused"
NO_ROUTE = "No route to host"
CLIENT, SERVER = "client", "server"

_ALL = ""
_FIRST_EPHEMERAL, _EPHEMERAL = 32_768, 28_232


@dataclass(frozen=True, slots=True)
class ServicePort:
    """A port that a unit listens on by default; `local` ones answer on the loopback interface alone."""

    unit: str
    port: int
    local: bool = False


SERVICE_PORTS = (
    ServicePort("ssh.service", 22),
    ServicePort("nfs-server.service", 2049),
    ServicePort("nfs-server.service", 111),
    ServicePort("slurmctld.service", 6817),
    ServicePort("slurmd.service", 6818),
    ServicePort("slurmdbd.service", 6819),
    ServicePort("mariadb.service", 3306, local=True),
    ServicePort("nvidia-dcgm.service", 5555, local=True),
    ServicePort("nvidia-dcgm-exporter.service", 9400),
    ServicePort("nvidia-fabricmanager.service", 6666, local=True),
)


@dataclass(frozen=True, slots=True)
class Way:
    """Which interface sends, from which address, to which host, and which interface receives there."""

    own: network.Interface
    own_address: str
    target: str
    theirs: network.Interface


def listener(world: World, host: str, port: int) -> Listener | None:
    """The program that listens on a port, or None."""
    return next((each for each in world.sockets[_ALL].listeners if (each.host, each.port) == (host, port)), None)


def service_listens(world: World, host: str, port: int, *, local: bool = False) -> bool:
    """Whether a running service listens on a port; `local`: asked from the host itself."""
    return any(
        each.port == port and (local or not each.local) and service_state.is_active(world, host, each.unit)
        for each in SERVICE_PORTS
    )


def way(world: World, host: str, address: str) -> Way | None:
    """Between which interfaces traffic to an address flows; None where nobody answers. Interfaces must be up
    and have a link; without one in the address's own network the first that is up sends.
    """
    here = address.startswith("127.")
    kind, target = ("node", host) if here else network.owner(world, address) or ("", "")
    if kind != "node" or not (here or network.reachable(world, host, address)):
        return None
    theirs = next((each for each in _live(world, target) if address in _plain(each)), None)
    if theirs is None:
        return None
    if target == host:
        return Way(theirs, address, target, theirs)
    net = ip_interface(next(cidr for cidr in theirs.addresses if cidr.startswith(f"{address}/"))).network
    mine = [
        (each, own) for each in _live(world, host) for own in _plain(each) if each.kind != "loopback" and "." in own
    ]
    near = [pair for pair in mine if ip_address(pair[1]) in net]
    return Way(*(near or mine)[0], target, theirs) if near or mine else None


def owner_of(world: World, address: str) -> str | None:
    """The node that has an address, or None."""
    kind, name = network.owner(world, address) or ("", "")
    return name if kind == "node" else None


def ephemeral_port(world: World, host: str, *names: object) -> int:
    """A port that the kernel picks for a client."""
    return _FIRST_EPHEMERAL + hash64(world.seed, "ephemeral", host, *names) % _EPHEMERAL


def _live(world: World, host: str) -> list[network.Interface]:
    return [each for each in network.interfaces(world, host) if each.up and each.carrier]


def _plain(interface: network.Interface) -> list[str]:
    return [cidr.partition("/")[0] for cidr in interface.addresses]


def connection(world: World, number: int) -> Connection | None:
    """The connection of that number, or None once both ends are closed."""
    return next((each for each in world.sockets[_ALL].connections if each.number == number), None)


def connections_of(world: World, host: str, pid: int) -> list[Connection]:
    """Connections of a process, in the order in which they were made."""
    found = world.sockets[_ALL].connections
    return [each for each in found if any((end.host, end.pid) == (host, pid) for end in (each.client, each.server))]


def heard(world: World, number: int, side: str) -> tuple[str, ...]:
    """Everything that the end `side` can read: what the other end has written so far."""
    found = connection(world, number)
    return _other(found, side).said if found else ()


def ended(world: World, number: int, side: str) -> bool:
    """Whether the other end of `side` has closed: after what was heard comes the end of the stream."""
    found = connection(world, number)
    return found is None or _other(found, side).closed


@dataclass(frozen=True, slots=True)
class Listen(Action):
    """A process listens on a port. Gives a refusal, or None."""

    host: str
    port: int
    pid: int
    user: str
    program: str
    once: bool = False

    def perform(self, simulation: Simulation[World]) -> str | None:
        world = simulation.world
        if listener(world, self.host, self.port) or service_listens(world, self.host, self.port, local=True):
            return IN_USE
        new = Listener(self.host, self.port, self.pid, self.user, self.program, self.once)
        world.sockets.update(_ALL, listeners=(*world.sockets[_ALL].listeners, new))
        return None


@dataclass(frozen=True, slots=True)
class StopListening(Action):
    """A process gives up a port; connections stay."""

    host: str
    port: int

    def perform(self, simulation: Simulation[World]) -> None:
        _keep(simulation.world, lambda each: (each.host, each.port) != (self.host, self.port))


@dataclass(frozen=True, slots=True)
class Connect(Action):
    """Process `pid` of `host` connects to `port` at an address. Gives the connection's number, or a refusal."""

    host: str
    pid: int
    address: str
    port: int

    def perform(self, simulation: Simulation[World]) -> int | str:
        world = simulation.world
        found_way = way(world, self.host, self.address)
        if found_way is None:
            return NO_ROUTE
        found = listener(world, found_way.target, self.port)
        if found is None:
            return REFUSED
        known = world.sockets[_ALL]
        number = known.made + 1
        new = Connection(
            number,
            SocketEnd(self.host, self.pid, found_way.own_address, ephemeral_port(world, self.host, number)),
            SocketEnd(found_way.target, found.pid, self.address, self.port),
        )
        world.sockets[_ALL] = replace(known, connections=(*known.connections, new), made=number)
        if found.once:
            _keep(world, lambda each: each != found)
        return number


@dataclass(frozen=True, slots=True)
class Say(Action):
    """The end `side` of a connection writes. Gives whether there is somebody to read it."""

    number: int
    side: str
    text: str

    def perform(self, simulation: Simulation[World]) -> bool:
        found = connection(simulation.world, self.number)
        if found is None or _own(found, self.side).closed:
            return False
        _change(simulation.world, found, self.side, said=(*_own(found, self.side).said, self.text))
        return not _other(found, self.side).closed


@dataclass(frozen=True, slots=True)
class Close(Action):
    """The end `side` of a connection closes; the other can still read what was written."""

    number: int
    side: str

    def perform(self, simulation: Simulation[World]) -> None:
        found = connection(simulation.world, self.number)
        if found is not None:
            _close(simulation.world, found, self.side)


def _own(found: Connection, side: str) -> SocketEnd:
    return found.client if side == CLIENT else found.server


def _other(found: Connection, side: str) -> SocketEnd:
    return found.server if side == CLIENT else found.client


def _change(world: World, found: Connection, side: str, **changes: object) -> None:
    end = replace(_own(found, side), **changes)  # type: ignore[arg-type]
    new = replace(found, client=end) if side == CLIENT else replace(found, server=end)
    kept = [new if each.number == found.number else each for each in world.sockets[_ALL].connections]
    # Nobody can look at a connection that both have closed.
    kept = [each for each in kept if not (each.client.closed and each.server.closed)]
    world.sockets.update(_ALL, connections=tuple(kept))


def _close(world: World, found: Connection, side: str) -> None:
    if not _own(found, side).closed:
        _change(world, found, side, closed=True)


def _keep(world: World, wanted: Callable[[Listener], bool]) -> None:
    world.sockets.update(_ALL, listeners=tuple(filter(wanted, world.sockets[_ALL].listeners)))


def _close_all(world: World, host: str, pids: Iterable[int]) -> None:
    """Everything that processes had open."""
    gone = {(host, pid) for pid in pids}
    if world.sockets[_ALL] == Sockets():
        return
    _keep(world, lambda each: (each.host, each.pid) not in gone)
    for found in world.sockets[_ALL].connections:
        for side in (CLIENT, SERVER):
            still = connection(world, found.number)
            if still and (_own(still, side).host, _own(still, side).pid) in gone:
                _close(world, still, side)


def _processes_end(simulation: Simulation[World], event: ProcessesEnded) -> None:
    _close_all(simulation.world, event.host, event.pids)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((ProcessesEnded, _processes_end),)

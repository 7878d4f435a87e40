"""The way from port to port, as the egress ports along it: where a subnet manager programs the switches the one that
their tables name (`forwarding`), elsewhere a shortest one over links that are up. Ethernet switches choose among equal
ones by themselves (engine.physics.ethernet.spreading).

Distances follow from the cabling and are kept; a query walks along them and looks only at the links that it takes. Only
where that ends at a broken link is the fabric searched as it stands. Equal next hops, parallel cables among them, are
spread by destination, as min-hop routing does it. In-band Ethernet ports may go to switches that a site leaves out:
between two of those the way has one unseen port, the network's towards the destination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from engine.kernel.random import hash64
from engine.physics import links, partition_keys
from engine.physics.ethernet import spreading
from engine.physics.ethernet.spreading import Stream
from engine.physics.traffic import forwarding
from engine.world.inventory import Inventory
from engine.world.world import World

_UNSEEN = "network>"


def path(world: World, source: str, destination: str, key_index: int = 0) -> tuple[str, ...] | None:
    """Egress ports from a host's port to another's, in order; None where there is no way. Of InfiniBand ports, programs
    use the partition key at `key_index`.
    """
    router = Router(world)
    found = router.path(source, destination, key_index)
    return None if router.loop else found


def unseen(port: str) -> str:
    """The egress port, towards `port`, of a network that the site leaves out."""
    return _UNSEEN + port


def end_of_unseen(link: str) -> str | None:
    """The port that an unseen egress port leads to; None if it is a port of the site."""
    return link.removeprefix(_UNSEEN) if link.startswith(_UNSEEN) else None


def next_hop(choices: list[str], turn: int, usable: Callable[[str], bool]) -> str | None:
    """The egress port towards a destination whose turn it is; another usable one if that is broken, or None."""
    chosen = choices[turn % len(choices)] if choices else ""
    if not chosen or usable(chosen):
        return chosen or None
    left = [port for port in choices if usable(port)]
    return left[turn % len(left)] if left else None


@dataclass(frozen=True, slots=True)
class Wiring:
    """Cables as routing sees them: `ports` of a switch as (egress port, switch behind), in order; `beside`: the
    switches next to it, each once; `seats`: for a host's port its switch, the switch's port to it, and its turn.
    """

    ports: dict[str, list[tuple[str, str]]]
    beside: dict[str, tuple[str, ...]]
    seats: dict[str, tuple[str, str, int]]


@dataclass(slots=True)
class Hops:
    """Distances to the switch `target`, worked out as far as they are asked for."""

    wiring: Wiring
    target: str
    usable: Callable[[str], bool] | None = None
    known: dict[str, int] = field(default_factory=dict)
    edge: list[str] = field(default_factory=list)
    choices: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known[self.target] = 0
        self.edge.append(self.target)

    def ahead(self, switch: str) -> list[str]:
        """Egress ports of a switch that lead nearer to the target."""
        found = self.choices.get(switch)
        if found is None:
            self._reach(switch)
            nearer = self.known.get(switch, 0) - 1
            ports = self.wiring.ports.get(switch, ())
            found = [port for port, behind in ports if self.known.get(behind) == nearer and self._use(port)]
            # Begin elsewhere on each level: what one level chose must not decide what the next one does.
            first = hash64("next hop", self.target, nearer) % max(len(found), 1)
            found = self.choices[switch] = found[first:] + found[:first]
        return found

    def _use(self, port: str) -> bool:
        return self.usable is None or self.usable(port)

    def _reach(self, switch: str) -> None:
        """Go outward from the target until `switch` is known, or everything is."""
        while switch not in self.known and self.edge:
            outer: list[str] = []
            for inner in self.edge:
                for behind in self._beside(inner):
                    if behind not in self.known:
                        self.known[behind] = self.known[inner] + 1
                        outer.append(behind)
            self.edge = outer

    def _beside(self, switch: str) -> Iterable[str]:
        """Switches next to one, over links that can be used."""
        if self.usable is None:
            return self.wiring.beside[switch]
        return [behind for port, behind in self.wiring.ports[switch] if self.usable(port)]


class Router:
    """Ways through a world as it stands; for many queries in a row, between which nothing changes.

    Ports in `down` are about to go down. `detours` counts ways that would be others if nothing was broken. Flows that
    are asked for one after the other avoid each other where switches go by load. `loop`: how many links at the end of
    the last way are run through again and again, because switches send its packets in a circle.
    """

    def __init__(self, world: World, down: Iterable[str] = ()) -> None:
        self.detours = 0
        self._world, self._wiring = world, wiring(world.inventory)
        self._searched: dict[str, Hops] = {}
        self._up = dict.fromkeys(down, False)
        self._placed: dict[str, int] = {}
        self.loop = 0

    def path(
        self, source: str, destination: str, key_index: int = 0, rate: int = 0, entropy: int = 0
    ) -> tuple[str, ...] | None:
        """As the function `path`, for `rate` bit/s of one of several flows between the two (`entropy`)."""
        self.loop = 0
        found = self._path(source, destination, key_index, Stream(source, destination, entropy, rate))
        self.detours += found is None
        for port in found or ():
            self._placed[port] = self._placed.get(port, 0) + rate
        return found

    def _path(self, source: str, destination: str, key_index: int, stream: Stream) -> tuple[str, ...] | None:
        if not (self._usable(source) and self._usable(destination)):
            return None
        start, end = self._wiring.seats.get(source), self._wiring.seats.get(destination)
        if start is None or end is None:
            return self._beside(source, destination)
        if forwarding.governs(self._world, start[0]):
            if not partition_keys.may_talk(self._world, source, destination, key_index):
                return None
            return forwarding.way(self._world, source, destination, self._usable)
        if self._world.inventory.switches[start[0]].kind == "ethernet":
            return self._spread(start[0], end, stream)
        switches = self._walk(_hops(self._world.inventory, self._wiring, end[0]), start[0], end[2])
        if switches is None:
            switches = self._walk(self._search(end[0]), start[0], end[2])
        return None if switches is None else (source, *switches, end[1])

    def _beside(self, source: str, destination: str) -> tuple[str, ...] | None:
        """Ways past no switch of the site: a cable between two hosts, or a network that is left out."""
        far = links.peer(self._world.inventory, source)
        if far is not None:
            return (source,) if far == destination else None
        return None if links.peer(self._world.inventory, destination) else (source, unseen(destination))

    def _walk(self, hops: Hops, switch: str, turn: int) -> list[str] | None:
        taken: list[str] = []
        while switch != hops.target:
            choices = hops.ahead(switch)
            port = next_hop(choices, turn, self._usable)
            self.detours += not port or port != choices[turn % len(choices)]
            if port is None:
                return None
            taken.append(port)
            switch = _device(links.peer(self._world.inventory, port) or "")
        return taken

    def _spread(self, switch: str, end: tuple[str, str, int], stream: Stream) -> tuple[str, ...] | None:
        """The way from a switch over Ethernet, each of which chooses among equal next hops for itself."""
        for hops in (_hops(self._world.inventory, self._wiring, end[0]), self._search(end[0])):
            taken, at = [stream.source], switch
            while at != hops.target:
                choices = hops.ahead(at)
                port = spreading.egress(self._world, at, choices, stream, self._usable, self._placed)
                self.detours += any(not self._usable(each) for each in choices)
                if port is None:
                    break
                if port in taken:
                    self.loop = len(taken) - taken.index(port)
                    return tuple(taken)
                taken.append(port)
                at = _device(links.peer(self._world.inventory, port) or "")
            if at == hops.target:
                return (*taken, end[1])
            self.detours += 1
        return None

    def _search(self, target: str) -> Hops:
        if target not in self._searched:
            self._searched[target] = Hops(self._wiring, target, self._usable)
        return self._searched[target]

    def _usable(self, port: str) -> bool:
        up = self._up.get(port)
        if up is None:
            up = self._up[port] = forwarding.active(self._world, port)
        return up


def wiring(inventory: Inventory) -> Wiring:
    """The cables of a site as routing sees them."""
    return inventory.once(("wiring",), lambda: _wiring(inventory))


def _wiring(inventory: Inventory) -> Wiring:
    ports: dict[str, list[tuple[str, str]]] = {name: [] for name in inventory.switches}
    hosts: dict[str, list[tuple[str, str]]] = {name: [] for name in inventory.switches}
    for port, cable in inventory.cables.items():
        device, far = _device(port), cable.other(port)
        if device in ports:
            behind = _device(far)
            (ports if behind in ports else hosts)[device].append((port, behind if behind in ports else far))
    seats = {}
    for switch, below in hosts.items():
        ports[switch].sort(key=_number)
        for turn, (port, host) in enumerate(sorted(below, key=_number)):
            seats[host] = (switch, port, turn)
    beside = {switch: tuple(dict.fromkeys(behind for _, behind in found)) for switch, found in ports.items()}
    return Wiring(ports, beside, seats)


def _hops(inventory: Inventory, wires: Wiring, target: str) -> Hops:
    return inventory.once(("hops to", target), lambda: Hops(wires, target))


def _device(port: str) -> str:
    return port.rpartition("/")[0]


def _number(entry: tuple[str, str]) -> int:
    return int(entry[0].rpartition("/")[2])

"""Which of several equal ways an Ethernet switch sends a flow: by a hash, by load, or by a route that somebody wrote.

ECMP: a hash of the flow's addresses and ports with the switch's seed, modulo the number of next hops; these stand in
turn by neighbour (a guess at the order). Where two stages have one seed, the second only ever sees what the first one's
hash let through, and uses part of its ways (polarisation). A bundle (LAG) is one next hop; its legs are chosen by
another part of the hash, or, with a hash over layer 2, by the addresses of the two routers, which are the same for all.
Adaptive routing (Spectrum: per packet, by load) is taken as the least loaded way for a whole flow. Of a dead next hop's
flows alone the way changes (resilient hashing).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.physics import links
from engine.world.world import World

_LAYER_2 = "layer2"


@dataclass(frozen=True, slots=True)
class Stream:
    """What a switch sees of a flow: ports at both ends, what else tells it from others between them, and bit/s."""

    source: str
    destination: str
    entropy: int = 0
    rate: int = 0


def egress(
    world: World,
    switch: str,
    choices: Sequence[str],
    stream: Stream,
    usable: Callable[[str], bool],
    placed: Mapping[str, int],
) -> str | None:
    """The port by which a switch sends a flow, of `choices` that lead nearer; None where none of them is usable.

    `placed` are bit/s that have just been put on ports, beside those that are on them already.
    """
    state = world.ethernet_switches[switch]
    for destination, port in state.routes:
        if destination == stream.destination and usable(port):
            return port
    if state.adaptive:
        return _least_loaded(world, [port for port in choices if usable(port)], placed)
    hashed = hash64("ways", state.hash_seed, stream.source, stream.destination, stream.entropy)
    ports = _in_turn(world, switch, tuple(sorted(choices)))
    for group in (ports, [port for port in ports if usable(port)]):
        chosen = _by_hash(world, switch, group, hashed) if group else None
        if chosen and usable(chosen):
            return chosen
    return None


def _least_loaded(world: World, ports: Sequence[str], placed: Mapping[str, int]) -> str | None:
    return min(ports, key=lambda port: (world.traffic[port].asked + placed.get(port, 0), _number(port)), default=None)


def _by_hash(world: World, switch: str, ports: Sequence[str], hashed: int) -> str:
    """One port: where links are bundled first a neighbour, then a leg."""
    neighbours = list(dict.fromkeys(_neighbour(world, port) for port in ports))
    if not (world.inventory.switches[switch].bundled or _is_bundled(world, neighbours)):
        return ports[hashed % len(ports)]
    chosen = neighbours[hashed % len(neighbours)]
    legs = [port for port in ports if _neighbour(world, port) == chosen]
    if world.ethernet_switches[switch].lag_hash == _LAYER_2:
        return legs[hash64("leg", switch, chosen) % len(legs)]
    return legs[hashed // len(neighbours) % len(legs)]


def _is_bundled(world: World, neighbours: Sequence[str]) -> bool:
    """Whether the only neighbour has its links in a bundle: then so are the ends here."""
    switches = world.inventory.switches
    return len(neighbours) == 1 and neighbours[0] in switches and switches[neighbours[0]].bundled


def _in_turn(world: World, switch: str, ports: tuple[str, ...]) -> list[str]:
    """Ports of a group in the order of the hash's result: the first to each neighbour, the second to each, ..."""
    return world.inventory.once(("ways in turn", switch, ports), lambda: _dealt(world, ports))


def _dealt(world: World, ports: Sequence[str]) -> list[str]:
    found: dict[str, list[str]] = {}
    for port in sorted(ports, key=_number):
        found.setdefault(_neighbour(world, port), []).append(port)
    most = max(map(len, found.values()), default=0)
    return [legs[turn] for turn in range(most) for legs in found.values() if turn < len(legs)]


def _neighbour(world: World, port: str) -> str:
    return (links.peer(world.inventory, port) or "").partition("/")[0]


def _number(port: str) -> int:
    return int(port.rpartition("/")[2])

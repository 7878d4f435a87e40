"""Which ports of a switch may carry packets towards another switch: the rules of opensm's engines minhop and updn.

minhop: the ports that begin a shortest path. updn: the ports that begin a shortest one of the paths that never go up
again after they went down. A step is up when it leads nearer to the roots; between switches of one rank, when it leads
to the lower GUID, and between two roots always.

opensm finds updn's paths with one queue for each target, walking away from it: a path to the target is walked
backwards, so the step that must not follow a step down is one up. What a port costs depends on the order of that queue
where cables join switches of one rank, so the queue is kept as it is. Each switch then takes the cheapest port by its
own account; with such cables, ways put together like that may go up after down, and even credit loops are possible, in
opensm too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from engine.control.subnet_manager.routing.fabric import Fabric

FAR = 255
"""More hops than any path has."""

_MOST, _SOME = (9, 10), (1, 20)
"""Shares of all adapters, as fractions: a root has one hop count to more than the first, and no other to more than the
second."""

Candidates = list[list[tuple[int, ...]]]
"""By switch and target switch: ports to choose from, ascending; none where the target is the switch or unreachable."""


def distances(fabric: Fabric) -> list[list[int]]:
    """Hops from every switch to every other, FAR where no path is."""
    near = [sorted({far for far in row if far >= 0}) for row in fabric.peers]
    found = []
    for start in range(len(near)):
        hops = [FAR] * len(near)
        hops[start] = 0
        waiting = deque([start])
        while waiting:
            switch = waiting.popleft()
            for far in near[switch]:
                if hops[far] == FAR:
                    hops[far] = hops[switch] + 1
                    waiting.append(far)
        found.append(hops)
    return found


def minhop_candidates(fabric: Fabric) -> Candidates:
    """Ports that begin a shortest path."""
    hops = distances(fabric)
    found: Candidates = []
    for switch, peers in enumerate(fabric.peers):
        cabled = [(port, far) for port, far in enumerate(peers) if far >= 0]
        found.append(
            [
                tuple(port for port, far in cabled if 0 < hops[far][target] + 1 == least < FAR)
                for target, least in enumerate(hops[switch])
            ]
        )
    return found


def updn_candidates(fabric: Fabric, roots: Sequence[int] | None) -> Candidates | None:
    """Ports that begin a shortest path of those allowed. `roots` are the GUIDs of a root file, None without one; None
    is given back where no root is found (opensm then falls back).
    """
    ranks = updn_ranks(fabric, updn_roots(fabric, distances(fabric)) if roots is None else known_roots(fabric, roots))
    if ranks is None:
        return None
    walks = [_Walk(fabric, ranks, target) for target in range(len(ranks))]
    return [
        [_cheapest(walk.hops[switch]) if walk.target != switch else () for walk in walks]
        for switch in range(len(ranks))
    ]


def known_roots(fabric: Fabric, guids: Collection[int]) -> list[int]:
    """The switches of a root file that are in the fabric."""
    wanted = frozenset(guids)
    return [switch for switch, guid in enumerate(fabric.switch_guids) if guid in wanted]


def updn_roots(fabric: Fabric, hops: Sequence[Sequence[int]]) -> list[int]:
    """The switches that opensm takes for roots when nobody names them: over all adapters, one hop count to the
    adapter's switch holds more than nine tenths, and no other more than a twentieth.
    """
    adapters = [len(ends) for ends in fabric.ends_of]
    total = sum(adapters)
    found = []
    for switch in range(len(adapters)):
        counts: dict[int, int] = {}
        for leaf in fabric.leaves:
            if hops[switch][leaf] != FAR:
                counts[hops[switch][leaf]] = counts.get(hops[switch][leaf], 0) + adapters[leaf]
        most = sum(count * _MOST[1] > total * _MOST[0] for count in counts.values())
        some = sum(count * _SOME[1] > total * _SOME[0] for count in counts.values())
        if most == some == 1:
            found.append(switch)
    return found


def updn_ranks(fabric: Fabric, roots: Collection[int]) -> list[int] | None:
    """Hops from every switch to the nearest root; None without roots."""
    if not roots:
        return None
    ranks = [FAR] * len(fabric.peers)
    waiting = deque(roots)
    for root in roots:
        ranks[root] = 0
    while waiting:
        switch = waiting.popleft()
        for far in fabric.peers[switch]:
            if far >= 0 and ranks[far] == FAR:
                ranks[far] = ranks[switch] + 1
                waiting.append(far)
    return ranks


def goes_up(fabric: Fabric, ranks: Sequence[int], switch: int, far: int) -> bool:
    """Whether the step from `switch` to `far` is one up."""
    if ranks[switch] != ranks[far]:
        return ranks[switch] > ranks[far]
    return ranks[switch] == 0 or fabric.switch_guids[switch] > fabric.switch_guids[far]


def _cheapest(hops: dict[int, int]) -> tuple[int, ...]:
    least = min(hops.values(), default=0)
    return tuple(port for port in sorted(hops) if hops[port] == least)


@dataclass
class _Walk:
    """opensm's queue for one target: `hops[s]` are hops to it by port of switch s."""

    fabric: Fabric
    ranks: Sequence[int]
    target: int
    hops: list[dict[int, int]] = field(init=False)

    def __post_init__(self) -> None:
        count = len(self.ranks)
        self.hops = [{} for _ in range(count)]
        self.least = [FAR] * count
        self.least[self.target] = 0
        self.queued, self.came_up = {self.target}, [True] * count
        self.waiting = deque([self.target])
        while self.waiting:
            switch = self.waiting.popleft()
            self.queued.discard(switch)
            self._leave(switch)

    def _leave(self, switch: int) -> None:
        """Go on from a switch through all its ports, but not up after down."""
        for port, far in enumerate(self.fabric.peers[switch]):
            if far < 0:
                continue
            up = goes_up(self.fabric, self.ranks, switch, far)
            there, cost = self.fabric.peer_ports[switch][port], self.least[switch] + 1
            if (up and not self.came_up[switch]) or cost >= self.hops[far].get(there, FAR):
                continue
            self.hops[far][there] = cost
            self.least[far] = min(self.least[far], cost)
            if far not in self.queued:
                self.queued.add(far)
                self.came_up[far] = up
                self.waiting.append(far)

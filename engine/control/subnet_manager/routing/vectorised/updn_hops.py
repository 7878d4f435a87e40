"""Hop counts for the engine updn (see `routing.candidates` for its rule).

Where no cable joins two switches of one rank, a walk away from the target goes up first and then down: two
breadth-first searches for all targets at once. Otherwise opensm's queue decides, and it is kept as it is, for all
targets in step: the n-th turn of every target's queue together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.control.subnet_manager.routing.candidates import known_roots
from engine.control.subnet_manager.routing.vectorised.columns import FAR, Bytes, Columns, Flags, Ints
from engine.control.subnet_manager.routing.vectorised.hops import (
    Hops,
    distinct_neighbours,
    identity_bits,
    minhop_hops,
    spread,
    unpack,
)

_UNSET = 255


def updn_hops(columns: Columns, roots: Sequence[int] | None) -> Hops | None:
    """Hops over the allowed paths; None where no root is found. `roots` are GUIDs of a root file, None without one."""
    every_path = minhop_hops(columns)
    if roots is None:
        is_root = _roots(columns, every_path.least)
    else:
        is_root = np.zeros(len(columns.peers), bool)
        is_root[known_roots(columns.fabric, roots)] = True
    if not is_root.any():
        return None
    if is_root.all():  # every step counts as up, so nothing is forbidden
        return every_path
    ranks, peers = _ranks(columns.peers, is_root), columns.peers
    beside = (peers >= 0) & (ranks[peers] == ranks[:, None])
    return _queued(columns, ranks) if beside.any() else _layered(peers, ranks)


def _roots(columns: Columns, hops: Bytes) -> Flags:
    """See `candidates.updn_roots`."""
    near, total = hops[:, columns.leaves], int(columns.counts.sum())
    shares = np.stack([((near == hop) * columns.counts).sum(1) for hop in np.unique(near) if hop != FAR])
    most, some = (shares * 10 > total * 9).sum(0), (shares * 20 > total).sum(0)
    found: Flags = (most == 1) & (some == 1)
    return found


def _ranks(peers: Ints, is_root: Flags) -> Ints:
    """Hops from the nearest root."""
    ranks = np.where(is_root, 0, -1)
    level = 0
    while (ranks == level).any():
        near = np.unique(peers[ranks == level])
        near = near[near >= 0]
        level += 1
        ranks[near[ranks[near] < 0]] = level
    return ranks


def _layered(peers: Ints, ranks: Ints) -> Hops:
    """Plane rows: first what a port towards a lower switch may use (that switch was reached upwards only), then what
    one towards a higher switch may use."""
    count = len(ranks)
    below = (peers >= 0) & (ranks[peers] > ranks[:, None])
    above = (peers >= 0) & (ranks[peers] < ranks[:, None])
    climbed = [identity_bits(count)]
    lower = distinct_neighbours(np.where(below, peers, -1))
    while not np.array_equal(further := spread(climbed[-1], lower), climbed[-1]):
        climbed.append(further)
    upper = distinct_neighbours(np.where(above, peers, -1))
    reached = identity_bits(count)
    least, level = 1 - unpack(reached, count), 0
    while True:
        level += 1
        further = spread(reached, upper) | climbed[min(level, len(climbed) - 1)]
        if np.array_equal(further, reached) and level >= len(climbed):
            break
        reached = further
        least += 1 - unpack(reached, count)
    least[unpack(reached, count) == 0] = FAR
    climbing = np.where(unpack(climbed[-1], count) == 1, least, np.uint8(FAR))
    plane = np.concatenate([climbing, least, np.full((1, count), FAR, np.uint8)])
    return Hops(least, plane, np.where(peers < 0, 2 * count, np.where(below, peers, peers + count)))


def _queued(columns: Columns, ranks: Ints) -> Hops:
    """One row of the plane for each port of each switch."""
    walk = _Walk(columns.peers, columns.peer_ports, _ups(columns, ranks))
    walk.run()
    count, ports = columns.peers.shape
    plane = walk.hops.transpose(1, 2, 0).reshape(count * ports, count)
    plane = np.where(plane == _UNSET, np.uint8(FAR), plane - np.uint8(1))
    plane = np.concatenate([plane, np.full((1, count), FAR, np.uint8)])
    row = np.where(columns.peers >= 0, np.arange(count * ports).reshape(count, ports), count * ports)
    least = walk.least.T.copy()
    least[least == _UNSET] = FAR
    return Hops(least, plane, row)


def _ups(columns: Columns, ranks: Ints) -> Flags:
    """Whether the step through a port is one up [S,P]."""
    peers, guids, own = columns.peers, columns.switch_guids, ranks[:, None]
    higher: Flags = np.where(ranks[peers] == own, (own == 0) | (guids[:, None] > guids[peers]), own > ranks[peers])
    return higher


@dataclass
class _Walk:
    """opensm's queues of all targets: `hops` [target, S, P] and `least` [target, S]."""

    peers: Ints
    peer_ports: Ints
    ups: Flags
    hops: Bytes = field(init=False)
    least: Bytes = field(init=False)

    def __post_init__(self) -> None:
        count, ports = self.peers.shape
        self.hops = np.full((count, count, ports), _UNSET, np.uint8)
        self.least = np.full((count, count), _UNSET, np.uint8)
        self.least[np.arange(count), np.arange(count)] = 0
        self.came_up = np.ones((count, count), bool)
        self.queued = np.zeros((count, count), bool)
        self.queue = np.full((count, 4 * count), -1, np.int64)
        self.queue[:, 0] = np.arange(count)
        self.length = np.ones(count, np.int64)

    def run(self) -> None:
        """Until every queue is empty."""
        turn = 0
        while (self.length > turn).any():
            targets = np.flatnonzero(self.length > turn)
            switches = self.queue[targets, turn]
            self.queued[targets, switches] = False
            for port in range(1, self.peers.shape[1]):
                self._leave(targets, switches, port)
            turn += 1

    def _leave(self, targets: Ints, switches: Ints, port: int) -> None:
        """Every target's walk leaves its switch through the same port, but not up after down."""
        up = self.ups[switches, port]
        allowed = (self.peers[switches, port] >= 0) & (self.came_up[targets, switches] | ~up)
        targets, switches, up = targets[allowed], switches[allowed], up[allowed]
        far, there = self.peers[switches, port], self.peer_ports[switches, port]
        cost = self.least[targets, switches] + np.uint8(1)
        better = cost < self.hops[targets, far, there]
        targets, far, there, up, cost = (part[better] for part in (targets, far, there, up, cost))
        self.hops[targets, far, there] = cost
        self.least[targets, far] = np.minimum(self.least[targets, far], cost)
        fresh = ~self.queued[targets, far]
        self._append(targets[fresh], far[fresh], up[fresh])

    def _append(self, targets: Ints, switches: Ints, up: Flags) -> None:
        if not len(targets):
            return
        self.came_up[targets, switches] = up
        self.queued[targets, switches] = True
        if self.length[targets].max() >= self.queue.shape[1]:
            self.queue = np.concatenate([self.queue, np.full_like(self.queue, -1)], axis=1)
        self.queue[targets, self.length[targets]] = switches
        self.length[targets] += 1

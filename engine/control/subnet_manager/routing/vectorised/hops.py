"""Hop counts between all switches, and which ports lead nearer.

A breadth-first search from every switch at once: for each switch one row of bits, the switches that it reaches; a level
of the search ors the rows of the neighbours together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.control.subnet_manager.routing.vectorised.columns import FAR, Bits, Bytes, Columns, Ints


@dataclass(frozen=True)
class Hops:
    """Port p of switch s is a candidate towards switch t where `plane[row[s, p], t] + 1 == least[s, t]`.

    `least` [S,S] are hops of the shortest allowed path, `plane` [rows,S] hops from what is behind a port (the last row
    is FAR throughout, for ports without a switch), `row` [S,P].
    """

    least: Bytes
    plane: Bytes
    row: Ints


def minhop_hops(columns: Columns) -> Hops:
    """Every path is allowed: one row of the plane for each switch."""
    hops = distances(columns.peers)
    nowhere = len(hops)
    plane = np.concatenate([hops, np.full((1, nowhere), FAR, np.uint8)])
    return Hops(hops, plane, np.where(columns.peers >= 0, columns.peers, nowhere))


def distances(peers: Ints) -> Bytes:
    """Hops between switches [S,S], FAR where no path is."""
    count = len(peers)
    near, reached = distinct_neighbours(peers), identity_bits(count)
    hops = 1 - unpack(reached, count)
    while not np.array_equal(further := spread(reached, near), reached):
        reached = further
        hops += 1 - unpack(reached, count)
    hops[unpack(reached, count) == 0] = FAR
    return hops


def spread(reached: Bits, near: Ints) -> Bits:
    """One level more: rows or'ed with those of the neighbours."""
    further = reached.copy()
    padded = np.concatenate([reached, np.zeros((1, reached.shape[1]), np.uint64)])
    for neighbour in near.T:
        further |= padded[neighbour]
    return further


def distinct_neighbours(peers: Ints) -> Ints:
    """Neighbours of each switch once, however many cables lead there; the rest of a row is -1."""
    ordered = np.sort(peers, axis=1)[:, ::-1]
    ordered[:, 1:][ordered[:, 1:] == ordered[:, :-1]] = -1
    ordered = np.sort(ordered, axis=1)[:, ::-1]
    most = max(1, int((ordered >= 0).sum(1).max()))
    return np.ascontiguousarray(ordered[:, :most])


def identity_bits(count: int) -> Bits:
    """Rows in which each switch has reached itself."""
    flags = np.zeros((count, -(-count // 64) * 64), np.uint8)
    flags[np.arange(count), np.arange(count)] = 1
    return np.packbits(flags, axis=1, bitorder="little").view(np.uint64)


def unpack(bits: Bits, count: int) -> Bytes:
    """Rows of bits as rows of 0 and 1."""
    return np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")[:, :count]

"""Tables from nothing, for all switches at once.

Taking turns (see the package) gives each pair of switch and leaf a stretch of its set's ports, repeated: a window into
one long list of ports. Windows are written leaf by leaf, columns put in the order of LIDs afterwards. Then the use of
every port is known, and switches as destinations get the least used candidate.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.control.subnet_manager.routing.fabric import NO_ROUTE
from engine.control.subnet_manager.routing.vectorised.classes import Classes, candidate_masks, lowest_port
from engine.control.subnet_manager.routing.vectorised.columns import Bytes, Columns, Flags, Ints
from engine.control.subnet_manager.routing.vectorised.hops import Hops
from engine.control.subnet_manager.routing.vectorised.overlap import walk_overlapping

_NEVER = np.iinfo(np.int32).max


def balanced(columns: Columns, hops: Hops, classes: Classes) -> Bytes:
    """Tables [S, LIDs]."""
    count, ports = hops.row.shape
    grid = _take_turns(columns, classes)
    used = _use(columns, classes, count, ports)
    crossing = _overlapping(classes, count)
    if crossing.any():
        walk_overlapping(columns, classes, np.flatnonzero(crossing), grid, used)
    tables = in_order_of_lids(columns, grid)
    tables[columns.end_switches, columns.end_lids] = columns.end_ports
    targets = switch_targets(columns, hops, classes, used)
    tables[:, columns.switch_lids] = targets
    return tables


def switch_targets(columns: Columns, hops: Hops, classes: Classes, used: Ints) -> Bytes:
    """Ports towards switches [S,S] when `used` [S,P] adapters have been routed through each port."""
    count, ports = hops.row.shape
    found = np.full((count, count), NO_ROUTE, np.uint8)
    load = np.where(classes.members[:, : ports - 1] != 0, used[classes.switch, 1:], _NEVER)
    best = np.where(classes.sizes > 0, load.argmin(1) + 1, NO_ROUTE).astype(np.uint8)
    found[:, columns.leaves] = best[classes.of]
    others = np.setdiff1d(np.arange(count), columns.leaves)
    if len(others):
        port_of = np.argsort(used[:, 1:], axis=1, kind="stable") + 1
        found[:, others] = lowest_port(candidate_masks(hops, others, port_of), port_of)
    found[np.arange(count), np.arange(count)] = 0
    return found


def in_order_of_lids(columns: Columns, grid: Bytes) -> Bytes:
    """Tables [S, LIDs] from a grid [S, L, most adapters of a leaf]; everything else leads nowhere."""
    most = grid.shape[2]
    tables = np.full((len(grid), columns.width), NO_ROUTE, np.uint8)
    inside = np.arange(len(columns.end_lids)) - np.repeat(np.cumsum(columns.counts) - columns.counts, columns.counts)
    slot = np.repeat(np.arange(len(columns.counts)) * most, columns.counts) + inside
    by_lid = np.argsort(columns.end_lids)
    lids = columns.end_lids[by_lid]
    gathered = np.take(grid.reshape(len(grid), -1), slot[by_lid], axis=1)
    edges = [0, *(np.flatnonzero(np.diff(lids) != 1) + 1).tolist(), len(lids)]  # LIDs come in long runs
    for begin, end in pairwise(edges):
        tables[:, lids[begin] : lids[begin] + end - begin] = gathered[:, begin:end]
    return tables


@dataclass(frozen=True)
class _Ports:
    """The ports of all sets, one after the other: the set, the port, and its place in the set."""

    of: Ints
    port: Ints
    place: Ints


def _ports(classes: Classes) -> _Ports:
    of, bit = np.nonzero(classes.members)
    before = np.cumsum(classes.sizes) - classes.sizes
    return _Ports(of, bit + 1, np.arange(len(of)) - np.repeat(before, classes.sizes))


def _take_turns(columns: Columns, classes: Classes) -> Bytes:
    """Ports [S, L, most adapters of a leaf], right wherever the sets of a switch don't overlap."""
    most, sizes = int(columns.counts.max()), classes.sizes
    span = np.where(sizes > 0, sizes + most, most)  # how much of a set's repeated list windows can reach
    begin = np.cumsum(span) - span
    owner = np.repeat(np.arange(len(sizes)), span)
    turn = (np.arange(len(owner)) - begin[owner]) % np.maximum(sizes, 1)[owner]
    listed = np.append(_ports(classes).port, NO_ROUTE).astype(np.uint8)
    before = np.cumsum(sizes) - sizes
    unrolled = np.where(sizes[owner] > 0, listed[np.minimum(before[owner] + turn, len(listed) - 1)], NO_ROUTE)
    start = begin[classes.of] + _adapters_before(columns, classes) % np.maximum(sizes, 1)[classes.of]
    windows = np.lib.stride_tricks.sliding_window_view(unrolled.astype(np.uint8), most)
    return windows[start]


def _adapters_before(columns: Columns, classes: Classes) -> Ints:
    """How many adapters of the same set stand on leaves before each leaf [S,L]."""
    order = classes.order
    listed = columns.counts[order]
    before = np.cumsum(listed, axis=1) - listed
    flat, begin = before.ravel(), np.flatnonzero(classes.first.ravel())
    in_set = flat - np.repeat(flat[begin], np.diff(np.append(begin, flat.size)))
    found = np.empty(order.shape, np.int64)
    np.put_along_axis(found, order, in_set.reshape(order.shape), axis=1)
    return found


def _use(columns: Columns, classes: Classes, count: int, ports: int) -> Ints:
    """Adapters routed through each port [S,P] when every set takes turns."""
    shares = np.broadcast_to(columns.counts, (count, len(columns.counts))).ravel()
    adapters = np.bincount(classes.of.ravel(), weights=shares, minlength=len(classes.sizes)).astype(np.int64)
    every = _ports(classes)
    whole, rest = np.divmod(adapters[every.of], classes.sizes[every.of])
    cell = classes.switch[every.of] * ports + every.port
    carried = whole + (every.place < rest)
    return np.bincount(cell, weights=carried, minlength=count * ports).astype(np.int64).reshape(count, ports)


def _overlapping(classes: Classes, count: int) -> Flags:
    """Switches of whose sets two have a port in common [S]."""
    begin = np.searchsorted(classes.switch, np.arange(count))
    carried = np.add.reduceat(classes.members, begin, axis=0, dtype=np.uint16)
    return np.asarray((carried > 1).any(1))

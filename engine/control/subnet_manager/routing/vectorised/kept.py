"""Tables of a manager that goes on after a loss: what still serves is kept, the rest is chosen anew in its turn.

Only switches with a broken entry are walked. Their broken destinations are repaired in step: the n-th of every switch
together, after the kept routes between the one before and this one have been counted.
"""

from __future__ import annotations

import numpy as np

from engine.control.subnet_manager.routing.fabric import NO_ROUTE
from engine.control.subnet_manager.routing.vectorised.balance import switch_targets
from engine.control.subnet_manager.routing.vectorised.classes import Classes
from engine.control.subnet_manager.routing.vectorised.columns import FAR, Bits, Bytes, Columns, Flags, Ints
from engine.control.subnet_manager.routing.vectorised.hops import Hops

_BLOCK = 64
_MANY = 1 << 40
"""More than any port carries."""


def repaired(columns: Columns, hops: Hops, classes: Classes, previous: Bytes) -> Bytes:
    """Tables [S, LIDs] from those of the sweep before."""
    tables = previous.copy()
    gone = np.ones(columns.width, bool)
    gone[columns.end_lids] = gone[columns.switch_lids] = False
    tables[:, gone] = NO_ROUTE
    repair = _Repair(columns, classes, hops.row.shape[1])
    broken = _broken_leaves(columns, classes, previous)
    touched = np.flatnonzero(broken.any(1))
    touched = touched[np.argsort(broken[touched].sum(1), kind="stable")]  # a block takes as many steps as its worst row
    for start in range(0, len(touched), _BLOCK):
        rows = touched[start : start + _BLOCK]
        tables[rows[:, None], columns.end_lids] = repair.ports(previous[rows], rows, np.asarray(broken[rows].any(0)))
    tables[columns.end_switches, columns.end_lids] = columns.end_ports
    redo = _broken_switch_targets(columns, hops, previous)
    if redo.any():
        used = _use(columns, tables, np.flatnonzero(redo.any(1)), hops.row.shape[1])
        targets = switch_targets(columns, hops, classes, used)
        tables[:, columns.switch_lids] = np.where(redo, targets, tables[:, columns.switch_lids])
    return tables


def _use(columns: Columns, tables: Bytes, rows: Ints, ports: int) -> Ints:
    """Adapters routed through each port [S,P], of the switches `rows` only; through port 0 none."""
    used = np.zeros((len(tables), ports), np.int64)
    for row in rows.tolist():
        used[row] = np.bincount(tables[row][columns.end_lids], minlength=256)[:ports]
    used[:, 0] = 0
    return used


def _broken_switch_targets(columns: Columns, hops: Hops, previous: Bytes) -> Flags:
    """Pairs of switch and target switch whose entry begins no shortest path any more [S,S]."""
    count, ports = hops.row.shape
    entries = previous[:, columns.switch_lids]
    outside = entries >= ports
    row = np.take_along_axis(hops.row, np.where(outside, 0, entries).astype(np.int64), axis=1)
    nearer = hops.plane[row, np.arange(count)] == hops.least - np.uint8(1)
    broken: Flags = ~nearer | outside | (hops.least == FAR)
    broken[np.arange(count), np.arange(count)] = False
    return broken


def _broken_leaves(columns: Columns, classes: Classes, previous: Bytes) -> Flags:
    """Pairs of switch and leaf of whose adapters one has an entry outside the candidate set [S,L]."""
    begin, words = np.cumsum(columns.counts) - columns.counts, classes.masks.shape[2]
    found = np.zeros(classes.of.shape, bool)
    for start in range(0, len(previous), _BLOCK):
        block = slice(start, start + _BLOCK)
        entries = np.take(previous[block], columns.end_lids, axis=1)
        for word in range(words):
            carried = np.bitwise_or.reduceat(_bits_of_ports(word)[entries], begin, axis=1)
            found[block] |= (carried & ~classes.masks[block, :, word]) != 0
        missing = np.logical_or.reduceat(entries > 64 * words, begin, axis=1)
        found[block] |= missing & (classes.sizes[classes.of[block]] > 0)
    found[columns.leaves, np.arange(len(columns.leaves))] = False
    return found


def _bits_of_ports(word: int) -> Bits:
    """For each possible entry the bit of its port in this word of a set."""
    found = np.zeros(256, np.uint64)
    for port in range(64 * word + 1, min(64 * word + 65, NO_ROUTE)):
        found[port] = np.uint64(1 << (port - 1) % 64)
    return found


class _Repair:
    """Repairs the entries of some switches. `allowed` [C,P or more] tells which entries are in a set; `closed` [C,P]
    adds to the load of those that are not.
    """

    def __init__(self, columns: Columns, classes: Classes, ports: int) -> None:
        self.columns, self.classes, self.width = columns, classes, ports
        self.leaf_of = np.repeat(np.arange(len(columns.counts)), columns.counts)
        self.allowed = np.zeros((len(classes.sizes), 256), bool)
        self.allowed[:, 1 : 1 + classes.members.shape[1]] = classes.members[:, :255]
        self.closed = np.where(self.allowed[:, :ports], 0, _MANY)

    def ports(self, previous: Bytes, rows: Ints, leaves: Flags) -> Bytes:
        """Ports [rows, A] in the order of routing. Entries for adapters of other leaves than these are as they were."""
        ports = np.take(previous, self.columns.end_lids, axis=1)
        places = np.flatnonzero(leaves[self.leaf_of])
        of = np.take(self.classes.of[rows], self.leaf_of[places], axis=1)
        part, reached = np.take(ports, places, axis=1), self.classes.sizes[of] > 0
        part[~reached] = NO_ROUTE
        bad = ~self.allowed[of, part] & reached
        ports[:, places] = part
        doubled = np.frexp(bad.sum(1))[1]  # rows that need about as many steps go together: counts grow with the worst
        for size in np.unique(doubled[doubled > 0]).tolist():
            hit = np.flatnonzero(doubled == size)
            self._choose(ports, hit, places, bad[hit], of[hit])
        return ports

    def _choose(self, ports: Bytes, hit: Ints, places: Ints, bad: Flags, of: Ints) -> None:
        """Choose new ports in the rows `hit`, where `bad` and `of` (sets) are about the destinations `places`."""
        count, steps, width = len(hit), int(bad.sum(1).max()), self.width
        waits = np.zeros((count, ports.shape[1]), bool)
        waits[:, places] = bad
        turn = np.cumsum(waits, axis=1, dtype=np.int32)
        kept = np.where(waits | (ports[hit] >= width), np.uint8(0), ports[hit])
        key = (turn * count + np.arange(count, dtype=np.int32)[:, None]) * width + kept
        passed = np.bincount(key.ravel(), minlength=(steps + 1) * count * width).reshape(-1, count, width)
        row, column = np.nonzero(bad)
        step = turn[row, places[column]] - 1
        order = np.argsort(step, kind="stable")
        ends = np.cumsum(np.bincount(step, minlength=steps))
        row, place, chosen = row[order], places[column[order]], of[row[order], column[order]]
        level, begin, best = np.zeros((count, width), np.int64), 0, np.empty(len(row), np.int64)
        flat, base = level.reshape(-1), row * width
        for number, end in enumerate(ends.tolist()):
            level += passed[number]
            now = slice(begin, end)
            loads = level.take(row[now], axis=0)
            loads += self.closed.take(chosen[now], axis=0)
            loads.argmin(1, best[now])
            flat[base[now] + best[now]] += 1  # a row stands in a step once
            begin = end
        ports[hit[row], place] = best

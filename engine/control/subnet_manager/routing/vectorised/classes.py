"""Candidate sets: for every switch the ports that lead nearer to each leaf, and which leaves share a set.

Sets are kept as bits, bit j for port j + 1, in words of 64.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.control.subnet_manager.routing.vectorised.columns import FAR, Bits, Bytes, Columns, Flags, Ints
from engine.control.subnet_manager.routing.vectorised.hops import Hops

_BLOCK = 64
"""Rows worked on at a time: their byte arrays stay in the processor's cache."""


@dataclass(frozen=True)
class Classes:
    """The candidate sets of all switches, numbered by switch and within it by its bits.

    `masks` [S,L,words] the sets; `of` [S,L] the number of the set; `switch` [C] whose it is; `members` [C, 64 words] 0
    or 1 for each port from 1 on; `sizes` [C] ports in it (0 on the leaf itself, or where no path is). `order` [S,L]
    lists a switch's leaves set by set, within a set as they are routed; `first` [S,L] marks where a set begins in that
    list.
    """

    masks: Bits
    of: Ints
    switch: Ints
    members: Bytes
    sizes: Ints
    order: Ints
    first: Flags


def classify(columns: Columns, hops: Hops) -> Classes:
    """The candidate sets towards all leaves."""
    masks = candidate_masks(hops, columns.leaves)
    if masks.shape[2] == 1:
        order = np.argsort(masks[:, :, 0], axis=1, kind="stable")
    else:
        order = np.lexsort(tuple(masks[:, :, word] for word in range(masks.shape[2])), axis=1)
    ordered = np.take_along_axis(masks, order[:, :, None], axis=1)
    first = np.ones(order.shape, bool)
    first[:, 1:] = (ordered[:, 1:] != ordered[:, :-1]).any(2)
    switch, column = np.nonzero(first)
    of = np.empty(order.shape, np.int64)
    np.put_along_axis(of, order, (np.cumsum(first.ravel()) - 1).reshape(order.shape), axis=1)
    members = np.unpackbits(ordered[switch, column].view(np.uint8), axis=1, bitorder="little")
    return Classes(masks, of, switch, members, members.sum(1).astype(np.int64), order, first)


def candidate_masks(hops: Hops, targets: Ints, port_of: Ints | None = None) -> Bits:
    """Candidate sets [S, targets, words]. With `port_of` [S, P-1] bit j stands for port `port_of[s, j]` instead."""
    plane, least = (np.ascontiguousarray(array[:, targets]) for array in (hops.plane, hops.least))
    wanted = least - np.uint8(1)  # 255 for the switch itself, which no plane holds
    wanted[least == FAR] = 255
    rows = hops.row[:, 1:] if port_of is None else np.take_along_axis(hops.row, port_of, axis=1)
    used = np.flatnonzero((rows != len(hops.plane) - 1).any(0))
    words = -(-rows.shape[1] // 64)
    found = np.zeros((*wanted.shape, words * 8), np.uint8)
    for start in range(0, len(wanted), _BLOCK):
        part = wanted[start : start + _BLOCK]
        near, hit = np.empty_like(part), np.empty(part.shape, bool)
        packed = np.zeros((words * 8, *part.shape), np.uint8)
        for bit in used.tolist():
            np.take(plane, rows[start : start + _BLOCK, bit], axis=0, out=near, mode="clip")
            np.equal(near, part, out=hit)
            np.multiply(hit.view(np.uint8), np.uint8(1 << bit % 8), out=near)
            packed[bit // 8] |= near
        found[start : start + _BLOCK] = packed.transpose(1, 2, 0)
    return found.view(np.uint64)


def lowest_port(masks: Bits, port_of: Ints) -> Bytes:
    """The port of the lowest bit of each set [S, targets], 255 of an empty one."""
    switches = np.arange(len(masks))[:, None]
    found = np.full(masks.shape[:2], 255, np.uint8)
    for word in range(masks.shape[2] - 1, -1, -1):
        bits = masks[:, :, word]
        some = bits != 0
        below = np.bitwise_count((bits & (~bits + np.uint64(1))) - np.uint64(1)).astype(np.int64) + 64 * word
        found = np.where(some, port_of[switches, np.where(some, below, 0)].astype(np.uint8), found)
    return found

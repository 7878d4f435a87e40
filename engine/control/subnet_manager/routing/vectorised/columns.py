"""A fabric as arrays, and tables back from them.

Shapes are written with S switches, A adapters' ports, L leaves (switches with adapters), P ports (index 0 is a switch's
own port 0), C candidate sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.control.subnet_manager.routing.engines import Tables
from engine.control.subnet_manager.routing.fabric import NO_ROUTE, Fabric

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Bits = NDArray[np.uint64]
Flags = NDArray[np.bool_]

FAR = 254
"""Hops where no path is. One less than the largest byte, so that one hop more is still a byte."""


@dataclass(frozen=True)
class Columns:
    """`peers` and `peer_ports` [S,P]; `ends`, adapters' columns in the order in which they are routed; `leaves` and
    `counts` [L], the switches with adapters in that order and how many each bears.
    """

    fabric: Fabric
    peers: Ints
    peer_ports: Ints
    switch_guids: Bits
    switch_lids: Ints
    end_switches: Ints
    end_ports: Ints
    end_lids: Ints
    leaves: Ints
    counts: Ints

    @property
    def width(self) -> int:
        """Length of a table."""
        return self.fabric.highest_lid + 1


def columns(fabric: Fabric) -> Columns:
    """The arrays of a fabric."""
    leaves = np.array(fabric.leaves, np.int64)
    counts = np.array([len(fabric.ends_of[leaf]) for leaf in fabric.leaves], np.int64)
    ends = np.array([end for leaf in fabric.leaves for end in fabric.ends_of[leaf]], np.int64).reshape(-1, 2)
    return Columns(
        fabric,
        _rows(fabric.peers, -1),
        _rows(fabric.peer_ports, 0),
        np.array(fabric.switch_guids, np.uint64),
        np.array(fabric.switch_lids, np.int64),
        np.repeat(leaves, counts),
        ends[:, 0],
        ends[:, 1],
        leaves,
        counts,
    )


def to_tables(fabric: Fabric, tables: Bytes) -> dict[int, bytes]:
    """Rows [S, LIDs] as tables by GUID."""
    return {guid: row.tobytes() for guid, row in zip(fabric.switch_guids, tables, strict=True)}


def from_tables(fabric: Fabric, tables: Tables) -> Bytes:
    """Tables of an earlier sweep as rows for the switches of this fabric; a switch that had none has no routes."""
    width = fabric.highest_lid + 1
    blank = bytes([NO_ROUTE]) * width
    rows = (tables.get(guid, b"")[:width] for guid in fabric.switch_guids)
    joined = b"".join(row + blank[len(row) :] for row in rows)
    return np.frombuffer(joined, np.uint8).reshape(-1, width).copy()


def _rows(rows: tuple[tuple[int, ...], ...], blank: int) -> Ints:
    """Rows of different lengths, filled up."""
    width = max(map(len, rows))
    if min(map(len, rows)) == width:
        return np.array(rows, np.int64)
    return np.array([row + (blank,) * (width - len(row)) for row in rows], np.int64)

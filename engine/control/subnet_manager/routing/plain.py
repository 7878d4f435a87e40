"""Forwarding tables for small fabrics, in plain Python: opensm's rule of balance, as it is.

Each switch makes its table alone. Destinations come in one order: adapters leaf by leaf (see `Fabric.leaves`) and by
port, then all switches in table order. A destination takes the candidate port that carries the fewest adapters so far,
the lowest of equals. Adapters count for the port that they take, switches do not.

A manager that goes on after a loss keeps what it can: an entry whose port is still a candidate stays and counts in its
turn; only the others are chosen anew. After a gain it begins from nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.control.subnet_manager.routing.candidates import Candidates
from engine.control.subnet_manager.routing.fabric import NO_ROUTE, Fabric


def balanced_tables(
    fabric: Fabric, candidates: Candidates, previous: Mapping[int, bytes] | None = None
) -> dict[int, bytes]:
    """Tables by the GUIDs of the switches: port by LID, NO_ROUTE where none leads. `previous` are tables to keep."""
    return {
        guid: bytes(_table(fabric, switch, candidates[switch], (previous or {}).get(guid, b"")))
        for switch, guid in enumerate(fabric.switch_guids)
    }


def _table(fabric: Fabric, switch: int, candidates: Sequence[tuple[int, ...]], previous: bytes) -> bytearray:
    table = bytearray([NO_ROUTE]) * (fabric.highest_lid + 1)
    load = [0] * len(fabric.peers[switch])

    def choose(lid: int, ports: tuple[int, ...]) -> int:
        kept = previous[lid] if lid < len(previous) else NO_ROUTE
        if kept in ports:
            return kept
        return min(ports, key=load.__getitem__, default=NO_ROUTE)

    for leaf in fabric.leaves:
        for own_port, lid in fabric.ends_of[leaf]:
            port = own_port if leaf == switch else choose(lid, candidates[leaf])
            table[lid] = port
            if port != NO_ROUTE:
                load[port] += 1
    for target, lid in enumerate(fabric.switch_lids):
        table[lid] = 0 if target == switch else choose(lid, candidates[target])
    return table

"""What a subnet manager knows of a fabric after a sweep: switches, the cables between them, end ports and LIDs.

Switches stand in table order, which is opensm's order of everything: ascending GUID with its bytes swapped (it keeps
GUIDs in network order and compares them as a little-endian machine does). A switch is named by its place in that order.
End ports here are those of adapters; a switch's own end port is its port 0.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, zip_longest
from types import MappingProxyType

from engine.control.subnet_manager.lids import swapped

NO_ROUTE = 255
"""The entry of a forwarding table that leads nowhere."""

_NOWHERE = -1
UNICAST_LIDS = range(1, 0xC000)

Socket = tuple[int, int]
"""A port of a switch: the switch's GUID and the port's number."""


@dataclass(frozen=True)
class Fabric:
    """Columns over switches (in table order) and over adapters' ports (likewise).

    `peers[s][p]` is the switch behind port p of switch s, -1 for an adapter or nothing; index 0 is not used.
    `peer_ports[s][p]` is the port at the other end. `end_switches` and `end_switch_ports` say where an adapter's port
    is plugged in. `highest_lid` is the highest LID that the manager ever gave: tables reach so far. `without_lid` are
    adapters' ports that were found and for which no LID is left: no table leads to them.
    """

    switch_guids: tuple[int, ...]
    switch_ports: tuple[int, ...]
    switch_lids: tuple[int, ...]
    peers: tuple[tuple[int, ...], ...]
    peer_ports: tuple[tuple[int, ...], ...]
    end_guids: tuple[int, ...]
    end_switches: tuple[int, ...]
    end_switch_ports: tuple[int, ...]
    end_lids: tuple[int, ...]
    highest_lid: int
    without_lid: tuple[int, ...] = ()

    @cached_property
    def switch_index(self) -> Mapping[int, int]:
        """Places in table order by GUID."""
        return {guid: place for place, guid in enumerate(self.switch_guids)}

    @cached_property
    def ends_of(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each switch, port and LID of every adapter on it, by port."""
        found: list[list[tuple[int, int]]] = [[] for _ in self.switch_guids]
        for switch, port, lid in zip(self.end_switches, self.end_switch_ports, self.end_lids, strict=True):
            found[switch].append((port, lid))
        return tuple(tuple(sorted(ends)) for ends in found)

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """Switches with adapters in the order in which their adapters are routed: those with most first, else in table
        order."""
        bearing = [switch for switch, ends in enumerate(self.ends_of) if ends]
        return tuple(sorted(bearing, key=lambda switch: -len(self.ends_of[switch])))


def given_lids(guids: Iterable[int], manager: int, known: Mapping[int, int]) -> dict[int, int]:
    """LIDs by port GUID as opensm gives them to ports in table order: a known port keeps its LID, LIDs of absent ports
    stay taken, new ports take the lowest free ones, the manager's own first; 0 when none is left.
    """
    lids, new = dict[int, int](), list[int]()
    for guid in guids:
        if guid in known:
            lids[guid] = known[guid]
        elif guid == manager:
            new.insert(0, guid)
        else:
            new.append(guid)
    taken = set(known.values())
    free = islice((lid for lid in UNICAST_LIDS if lid not in taken), len(new))
    lids.update(zip_longest(new, free, fillvalue=0))
    return lids


def build(
    switches: Mapping[int, int],
    cables: Iterable[tuple[Socket, Socket]],
    ends: Iterable[tuple[int, Socket]],
    manager: int,
    known: Mapping[int, int] = MappingProxyType({}),
) -> Fabric:
    """The fabric that a manager finds.

    `switches` are numbers of ports by GUID, `cables` those between switches, `ends` port GUIDs of adapters and where
    they are plugged in. `manager` is the GUID of the port at which the manager runs (a switch's for its port 0); only
    what cables join to it is found. `known` are the LIDs that it gave before, by port GUID, absent ports included.
    """
    sockets: dict[int, dict[int, Socket]] = {guid: {} for guid in switches}
    for near, far in cables:
        sockets[near[0]][near[1]] = far
        sockets[far[0]][far[1]] = near
    plugged = list(ends)
    reached = _reached(sockets, {guid: place[0] for guid, place in plugged}.get(manager, manager))
    place = {swapped(guid): guid for guid in reached}
    order = [place[key] for key in sorted(place)]
    ends_by_key = {swapped(end[0]): end for end in plugged if end[1][0] in reached}
    found = [ends_by_key[key] for key in sorted(ends_by_key)]
    place.update({key: end[0] for key, end in ends_by_key.items()})
    lids = given_lids([place[key] for key in sorted(place)], manager, known)
    lacking = tuple(guid for guid, _ in found if not lids[guid])
    found = [end for end in found if lids[end[0]]]
    index = {guid: place for place, guid in enumerate(order)}
    rows = [_row(index, guid, switches[guid], sockets[guid]) for guid in order]
    return Fabric(
        tuple(order),
        tuple(switches[guid] for guid in order),
        tuple(lids[guid] for guid in order),
        tuple(tuple(row) for row, _ in rows),
        tuple(tuple(row) for _, row in rows),
        tuple(guid for guid, _ in found),
        tuple(index[switch] for _, (switch, _) in found),
        tuple(port for _, (_, port) in found),
        tuple(lids[guid] for guid, _ in found),
        max([*known.values(), *lids.values()], default=0),
        lacking,
    )


def without(fabric: Fabric, dead: Collection[Socket], manager: int, known: Mapping[int, int]) -> Fabric:
    """The same fabric after the links at these sockets are gone. `manager` and `known` as for `build`."""
    gone = frozenset(dead)
    guids = fabric.switch_guids
    cables = [
        ((guid, port), (guids[far], fabric.peer_ports[place][port]))
        for place, guid in enumerate(guids)
        for port, far in enumerate(fabric.peers[place])
        if far > place and (guid, port) not in gone and (guids[far], fabric.peer_ports[place][port]) not in gone
    ]
    places = zip(fabric.end_guids, fabric.end_switches, fabric.end_switch_ports, strict=True)
    ends = [(end, (guids[switch], port)) for end, switch, port in places if (guids[switch], port) not in gone]
    return build(dict(zip(guids, fabric.switch_ports, strict=True)), cables, ends, manager, known)


def _reached(sockets: Mapping[int, Mapping[int, Socket]], start: int) -> set[int]:
    """GUIDs of the switches that cables join to one of them."""
    reached = {start} if start in sockets else set()
    waiting = list(reached)
    while waiting:
        for far, _ in sockets[waiting.pop()].values():
            if far not in reached:
                reached.add(far)
                waiting.append(far)
    return reached


def _row(index: Mapping[int, int], guid: int, ports: int, cabled: Mapping[int, Socket]) -> tuple[list[int], list[int]]:
    """The switches behind a switch's ports, and the ports there. A cable from a switch to itself is no way anywhere."""
    peers, there = [_NOWHERE] * (ports + 1), [0] * (ports + 1)
    for port, (far, far_port) in cabled.items():
        if far != guid:
            peers[port], there[port] = index[far], far_port
    return peers, there

"""How opensm's engine ftree fills the tables of a fat tree: target by target, up from its leaf and down from
everywhere.

Targets are the adapters leaf by leaf, each leaf filled up with dummies to as many as the fullest has (they move the
counters only), then the switches in table order. From a switch that knows the way, everything below it learns it
(`_descend`), then one switch above it on the main path, which counts, and all others above as secondary paths, which do
not. Groups of cables are taken in the order of how often they were used, equals by index; in a group the least used
cable, the first of equals. Groups are taken as they stand when their turn comes: where cables join switches of one
rank, the walk can come back to a switch on the way and put them into another order.

Where cables join leaves, opensm also puts a leaf's adapters into another order while it walks over them, by memory that
it takes for indices; here they stay in the order of ports. Its tables can't be foretold there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from engine.control.subnet_manager.routing.fabric import NO_ROUTE, Fabric
from engine.control.subnet_manager.routing.fat_tree import FatTree, Index

_NO_PATH = 255
_DUMMY = 0
"""The LID under which dummies are routed."""


class _Group:
    """All cables from one switch to another, and how often they were used on the way up and down."""

    __slots__ = ("cable_climbs", "cable_descents", "climbs", "descents", "far", "far_ports", "index")

    def __init__(self, far: int, index: Index, far_ports: Sequence[int]) -> None:
        self.far = far
        self.index = index
        self.far_ports = far_ports
        self.climbs = self.descents = 0
        self.cable_climbs, self.cable_descents = [0] * len(far_ports), [0] * len(far_ports)


def fat_tree_tables(tree: FatTree) -> dict[int, bytes]:
    """Tables by the GUIDs of the switches."""
    walk = _Walk(tree)
    walk.route_adapters()
    walk.route_switches()
    return {
        guid: bytes([NO_ROUTE, *table[1:]]) for guid, table in zip(tree.fabric.switch_guids, walk.tables, strict=True)
    }


class _Walk:
    """The tables as far as they are filled, and the counters."""

    def __init__(self, tree: FatTree) -> None:
        self.tree = tree
        self.fabric: Fabric = tree.fabric
        self.tables = [bytearray([NO_ROUTE]) * (self.fabric.highest_lid + 1) for _ in tree.ranks]
        self.ups, self.downs, self.siblings = (
            [
                [_Group(far, tree.index[far], tree.far_ports(switch, far)) for far in side]
                for switch, side in enumerate(sides)
            ]
            for sides in (tree.ups, tree.downs, tree.siblings)
        )
        self.hops = [_NO_PATH] * len(tree.ranks)
        self.lid = _DUMMY

    def route_adapters(self) -> None:
        """Adapters and dummies."""
        most = self.tree.most_adapters
        for leaf in self.tree.leaves:
            ends = self.fabric.ends_of[leaf]
            for port, lid in ends:
                self._route(leaf, lid, port, 1, main=True)
            for _ in range(most - len(ends)):
                for table in self.tables:
                    table[_DUMMY] = NO_ROUTE
                self._route(leaf, _DUMMY, NO_ROUTE, 1, main=True)

    def route_switches(self) -> None:
        """Switches, which move no counter on the way up."""
        for switch, lid in enumerate(self.fabric.switch_lids):
            self._route(switch, lid, 0, 0, main=False)

    def _route(self, switch: int, lid: int, port: int, hops: int, *, main: bool) -> None:
        self.lid = lid
        self.hops = [_NO_PATH] * len(self.tables)
        self.hops[switch] = hops
        self.tables[switch][lid] = port
        self._climb(switch, None, hops, main=main)

    def _teach(self, group: _Group, cable: int, hops: int) -> None:
        """The switch at the far end of a cable learns that the way leads back through it."""
        self.tables[group.far][self.lid] = group.far_ports[cable]
        self.hops[group.far] = hops

    def _descend(self, switch: int, came_from: int | None, hops: int) -> bool:
        """Teach what is below. Returns whether an adapter's switch was reached anew."""
        groups = self.downs[switch]
        found = bool(self.fabric.ends_of[switch])
        if not groups and not found:
            return False
        if self.tree.ranks[switch] < self.tree.leaf_rank:
            groups.sort(key=lambda group: (group.descents, group.index))
        beside = self.siblings[switch] if self.lid != _DUMMY else []
        beside.sort(key=lambda group: (group.descents, group.index))
        for group in chain(groups, beside):
            if group.far == came_from or hops + 1 >= self.hops[group.far]:
                continue
            cable = group.cable_descents.index(min(group.cable_descents))
            self._teach(group, cable, hops + 1)
            if self._descend(group.far, None, hops + 1):
                found = True
                group.cable_descents[cable] += 1
                group.descents += 1
        return found

    def _climb(self, switch: int, came_from: int | None, hops: int, *, main: bool) -> bool:
        """Teach what is below, then what is above and beside. Returns whether an adapter's switch was reached anew."""
        found = self._descend(switch, came_from, hops)
        if self.tree.ranks[switch] == 0:
            return found
        groups, beside = self.ups[switch], self.siblings[switch]
        groups.sort(key=lambda group: (group.climbs, group.index))
        least = groups[0]
        for place, group in enumerate(groups):
            found |= self._climb_through(switch, group, hops, main=main and place == 0)
        beside.sort(key=lambda group: (group.climbs, group.index))
        for group in beside:
            cable = group.cable_climbs.index(min(group.cable_climbs))
            if self._climb_through(switch, group, hops, main=False):
                found = True
                group.cable_climbs[cable] += 1
                least.climbs += 1  # so does opensm, though the group that was taken is another
        return found

    def _climb_through(self, switch: int, group: _Group, hops: int, *, main: bool) -> bool:
        cable = group.cable_climbs.index(min(group.cable_climbs))
        if main:
            group.climbs += 1
            group.cable_climbs[cable] += 1
        if self.tables[group.far][self.lid] == NO_ROUTE or hops + 1 < self.hops[group.far]:
            self._teach(group, cable, hops + 1)
        elif not main:
            return False
        return self._climb(group.far, switch, hops + 1, main=main)

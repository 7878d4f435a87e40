"""The engine ftree for large regular trees of two or three levels; the same tables as `fat_tree_walk`.

Regular: every leaf bears adapters, no cable joins two switches of a rank, each pod is a set of leaves that share their
middle switches, and the middle switches of one plane, one in each pod, share their roots. Then all counters start equal
and "least used, lowest index" is taking turns: the n-th climb through a switch takes its group n mod groups, the n-th
use of a group takes its cable n mod cables. A tree of two levels is one pod whose middle switches are the roots.

Shapes: L leaves, Q pods, U middle switches of a pod (and planes), V roots of a plane, J targets of a leaf.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.control.subnet_manager.routing.fabric import NO_ROUTE
from engine.control.subnet_manager.routing.fat_tree import FatTree
from engine.control.subnet_manager.routing.vectorised.balance import in_order_of_lids
from engine.control.subnet_manager.routing.vectorised.columns import Bytes, Ints, columns, to_tables
from engine.control.subnet_manager.routing.vectorised.tree_shape import Shape, shape_of

_Counters = NDArray[np.int32]


def tables(tree: FatTree) -> dict[int, bytes] | None:
    """Tables by the GUIDs of the switches; None where the tree is not regular."""
    shape = shape_of(tree)
    return None if shape is None else to_tables(tree.fabric, _Filling(tree, shape).filled())


@dataclass(frozen=True)
class _Targets:
    """Targets on one leaf that are routed one after the other, and their columns of the tables, `out` [S,J].

    `main` [J] is the way up of the main path, `turns` [J,U] how many of this leaf's targets climbed each way before,
    `before` [U] how many of those on the pod's earlier leaves did.
    """

    leaf: int
    main: Ints
    turns: Ints
    before: Ints
    out: Bytes


class _Filling:
    """Tables as far as they are filled: `adapters` [S, L, J] in the order of `columns`, `switches` [S,S]. And how often
    each group of cables was used on the way down: from a middle switch of a plane to a leaf [L,U], from a root to a pod
    [Q,roots]."""

    def __init__(self, tree: FatTree, shape: Shape) -> None:
        self.tree, self.shape, self.columns = tree, shape, columns(tree.fabric)
        count, leaves = len(tree.ranks), len(shape.leaves)
        self.adapters = np.full((count, leaves, tree.most_adapters), NO_ROUTE, np.uint8)
        self.switches = np.full((count, count), NO_ROUTE, np.uint8)
        self.leaf_uses: _Counters = np.zeros(shape.leaf_down.shape[:2], np.int32)
        self.pod_uses: _Counters = np.zeros(shape.pod_down.shape[:2], np.int32)
        self.pod_groups = np.arange(self.pod_uses.size, dtype=np.int32).reshape(self.pod_uses.shape)
        ways = shape.middle.shape[1]
        self.share = (tree.most_adapters + ways - 1 - np.arange(ways)) // ways
        """How many targets of a whole leaf climb each way [U]."""

    def filled(self) -> Bytes:
        """Tables [S, LIDs]: adapters leaf by leaf, then switches in table order."""
        ways, number = len(self.share), np.arange(self.tree.most_adapters)
        turns = (number[:, None] + ways - 1 - np.arange(ways)) // ways
        place = {leaf: number for number, leaf in enumerate(self.columns.leaves.tolist())}
        for leaf, switch in enumerate(self.shape.leaves.tolist()):
            before, out = self.shape.place[leaf] * self.share, self.adapters[:, place[switch]]
            self._route_leaf(_Targets(leaf, number % ways, turns, before, out))
        for switch in range(len(self.switches)):
            self._route_switch(switch, self.switches[:, switch : switch + 1])
            self.switches[switch, switch] = 0
        tables = in_order_of_lids(self.columns, self.adapters)
        tables[self.columns.end_switches, self.columns.end_lids] = self.columns.end_ports
        tables[:, self.columns.switch_lids] = self.switches
        return tables

    def _route_switch(self, switch: int, out: Bytes) -> None:
        """The same walk with the final counters; nothing counts on the way up any more."""
        shape, ways = self.shape, len(self.share)
        if switch in shape.leaf_number:
            leaf = shape.leaf_number[switch]
            before = (shape.pod_sizes[shape.pod[leaf]] - 1) * self.share
            main = np.array([self.tree.most_adapters % ways])
            self._route_leaf(_Targets(leaf, main, self.share[None], before, out))
        elif switch in shape.middle_place:
            pod, way = shape.middle_place[switch]
            self._teach_leaves(int(shape.plane[pod, way]), out)
            if shape.three_levels:
                climbs = shape.pod_sizes[pod] * self.share[way]
                roots, cables = shape.middle_up.shape[2:]
                root = int(shape.root_places[pod, way, climbs % roots])
                self._teach_pods(root, out)
                out[shape.middle[pod, shape.way[pod, shape.root_plane[root]]]] = NO_ROUTE
                turn = (climbs + roots - 1 - np.arange(roots)) // roots % cables
                out[shape.roots[pod, way], 0] = shape.middle_up[pod, way, np.arange(roots), turn]
                self.pod_uses[:, root] += np.arange(len(self.pod_uses)) != pod
        else:
            root = shape.root_number[switch]
            self._teach_leaves(int(shape.root_plane[root]), out)
            self._teach_pods(root, out)
            self.pod_uses[:, root] += 1

    def _teach_leaves(self, plane: int, out: Bytes) -> None:
        """All leaves reach the target through their middle switch of one plane."""
        cable = self.leaf_uses[:, plane] % self.shape.leaf_down.shape[2]
        out[self.shape.leaves, 0] = self.shape.leaf_down[np.arange(len(cable)), plane, cable]
        self.leaf_uses[:, plane] += 1

    def _teach_pods(self, root: int, out: Bytes) -> None:
        """The middle switches of the root's plane reach the target through it."""
        shape, pods = self.shape, np.arange(len(self.shape.middle))
        switches = shape.middle[pods, shape.way[:, shape.root_plane[root]]]
        out[switches, 0] = shape.pod_down[pods, root, self.pod_uses[:, root] % shape.pod_down.shape[2]]

    def _route_leaf(self, targets: _Targets) -> None:
        """Route the targets of a leaf. What is written of the leaf itself and its pod's middle switches on the way is
        overwritten at the end."""
        shape, leaf = self.shape, targets.leaf
        pod, ways = int(shape.pod[leaf]), np.arange(len(self.share))
        plane = shape.plane[pod, targets.main]
        nth = targets.turns[np.arange(len(plane)), targets.main] - targets.turns[0, targets.main]
        targets.out[shape.leaves] = self._leaf_ports(plane, nth)
        targets.out[shape.leaves[leaf]] = NO_ROUTE
        if shape.three_levels:
            self._cross_pods(targets, pod)
        cables = shape.leaf_up.shape[2]
        targets.out[shape.middle[pod]] = shape.leaf_up[leaf][ways, targets.turns % cables].T
        own = self.leaf_uses[leaf].copy()
        self.leaf_uses += np.bincount(plane, minlength=len(ways)).astype(np.int32)
        self.leaf_uses[leaf] = own

    def _leaf_ports(self, plane: Ints, nth: Ints) -> Bytes:
        """Ports [L,J] of all leaves towards targets through a plane, of which each is the nth one."""
        cables = self.shape.leaf_down.shape[2]
        if cables == 1:
            return np.take(self.shape.leaf_down[:, :, 0], plane, axis=1)
        cable = (self.leaf_uses[:, plane] + nth) % cables
        ports: Bytes = self.shape.leaf_down[np.arange(len(cable))[:, None], plane, cable]
        return ports

    def _cross_pods(self, targets: _Targets, pod: int) -> None:
        """Middle switches of all pods, and the roots of the own pod's planes."""
        shape, ways = self.shape, np.arange(len(self.share))
        roots, cables = shape.middle_up.shape[2:]
        climbs: Ints = targets.before + targets.turns
        serving = shape.root_places[pod, ways, climbs % roots]
        earlier = ((targets.turns - targets.turns[0]) // roots % cables).astype(np.int32)
        cursor = self.pod_groups * (2 * cables) + self.pod_uses % cables
        ports = np.take(shape.pod_down_twice, np.take(cursor, serving.T, axis=1) + earlier.T)
        switches = np.take_along_axis(shape.middle, shape.way[:, shape.plane[pod]], axis=1)
        targets.out[switches.ravel()] = ports.reshape(-1, len(targets.main))
        turn: Ints = (climbs.T[:, None] + roots - 1 - np.arange(roots)[:, None]) // roots % cables
        up = np.take_along_axis(shape.middle_up[pod], turn, axis=2)
        targets.out[shape.roots[pod].ravel()] = up.reshape(-1, len(targets.main))
        used = np.bincount(serving[np.arange(len(targets.main)), targets.main], minlength=self.pod_uses.shape[1])
        others = np.arange(len(self.pod_uses)) != pod
        self.pod_uses += (others[:, None] * used).astype(np.int32)

"""The parts of a regular fat tree as arrays: leaves, pods, planes and roots, and the ports of the cables between them.

Shapes as in `regular_tree`; M and N are cables of a group between leaf and middle switch, and between that and root.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.control.subnet_manager.routing.fat_tree import FatTree
from engine.control.subnet_manager.routing.vectorised.columns import Bytes, Ints


@dataclass(frozen=True)
class Shape:
    """`leaves` [L] by index, `pod` and `place` [L] where each stands. `middle` [Q,U] in the order in which leaves
    climb, `plane` [Q,U] the plane of each, `way` [Q,planes] its inverse. `leaf_up` [L,U,M] are ports of middle switches
    towards a leaf, `leaf_down` [L,planes,M] ports of a leaf towards them in the middle switch's order of cables.
    `roots` [Q,U,V] above each middle switch, `root_places` the same as numbers of roots, `middle_up` [Q,U,V,N] the
    roots' ports towards it, `pod_down` [Q,roots,N] its ports towards each root in the root's order of cables
    (`pod_down_twice`: flat, each group twice in a row, so that turns need no second modulo).
    """

    leaves: Ints
    leaf_number: Mapping[int, int]
    pod: Ints
    place: Ints
    pod_sizes: Ints
    middle: Ints
    middle_place: Mapping[int, tuple[int, int]]
    plane: Ints
    way: Ints
    leaf_up: Bytes
    leaf_down: Bytes
    roots: Ints
    root_number: Mapping[int, int]
    root_places: Ints
    root_plane: Ints
    middle_up: Bytes
    pod_down: Bytes
    pod_down_twice: Bytes

    @property
    def three_levels(self) -> bool:
        """Whether there are roots above the middle switches."""
        return self.roots.size > 0


def shape_of(tree: FatTree) -> Shape | None:
    """The shape of a tree; None where it is not regular."""
    if tree.leaf_rank not in (1, 2) or any(tree.siblings) or not _leaves_are_plain(tree):
        return None
    above = [tuple(tree.ups[leaf]) for leaf in tree.leaves]
    pods = {ways: number for number, ways in enumerate(dict.fromkeys(above))}
    middle = np.array(list(pods), np.int64) if len({len(ways) for ways in pods}) == 1 else None
    if middle is None or len(np.unique(middle)) != middle.size:
        return None
    pod = np.array([pods[ways] for ways in above])
    sizes = np.bincount(pod)
    counts = [len(tree.downs[switch]) for switch in middle.ravel().tolist()]
    if counts != np.repeat(sizes, middle.shape[1]).tolist() or not _uniform(tree, tree.leaves):
        return None
    plane = _planes(tree, middle) if tree.leaf_rank == 2 else np.arange(middle.shape[1])[None]
    if plane is None or (tree.leaf_rank == 1 and len(middle) > 1):
        return None
    return _measured(tree, pod, sizes, middle, plane)


def _leaves_are_plain(tree: FatTree) -> bool:
    """Whether every switch of the leaves' rank bears adapters and nothing else hangs below."""
    level = [switch for switch, rank in enumerate(tree.ranks) if rank == tree.leaf_rank]
    return all(tree.fabric.ends_of[switch] and not tree.downs[switch] for switch in level)


def _uniform(tree: FatTree, switches: Sequence[int]) -> bool:
    """Whether all groups upwards have equally many cables."""
    return len({len(tree.cables[switch][far]) for switch in switches for far in tree.ups[switch]}) == 1


def _planes(tree: FatTree, middle: Ints) -> Ints | None:
    """The plane of each middle switch [Q,U]: those with the same roots. None where they are no planes."""
    above = [[frozenset(tree.ups[switch]) for switch in pod] for pod in middle.tolist()]
    numbers = {roots: number for number, roots in enumerate(dict.fromkeys(roots for pod in above for roots in pod))}
    plane = np.array([[numbers[roots] for roots in pod] for pod in above])
    every = [root for roots in numbers for root in roots]
    whole = (np.sort(plane, axis=1) == np.arange(middle.shape[1])).all()
    alike = len({len(roots) for roots in numbers}) == 1 and len(every) == len(set(every))
    complete = all(len(tree.downs[root]) == len(middle) for root in every)
    return plane if whole and alike and complete and _uniform(tree, middle.ravel().tolist()) else None


def _measured(tree: FatTree, pod: Ints, sizes: Ints, middle: Ints, plane: Ints) -> Shape:
    way = np.argsort(plane, axis=1)
    place = np.zeros(len(pod), np.int64)
    for number in range(len(sizes)):
        place[pod == number] = np.arange(sizes[number])
    in_planes = np.take_along_axis(middle, way, axis=1)[pod]
    leaf_up = [[tree.far_ports(leaf, far) for far in tree.ups[leaf]] for leaf in tree.leaves]
    leaf_down = [
        [tree.far_ports(far, leaf) for far in ways] for leaf, ways in zip(tree.leaves, in_planes.tolist(), strict=True)
    ]
    roots = np.array([[tree.ups[switch] for switch in ways] for ways in middle.tolist()], np.int64)
    numbers = {root: number for number, root in enumerate(sorted(set(roots.ravel().tolist())))}
    root_plane = np.zeros(len(numbers), np.int64)
    root_places = np.vectorize(numbers.__getitem__, otypes=[np.int64])(roots) if roots.size else roots
    if roots.size:
        root_plane[root_places] = plane[:, :, None]
    middle_up = [[[tree.far_ports(near, far) for far in tree.ups[near]] for near in ways] for ways in middle.tolist()]
    through = np.take_along_axis(middle, way, axis=1)[:, root_plane]
    pod_down = [
        [tree.far_ports(root, near) for root, near in zip(numbers, pods, strict=True)] for pods in through.tolist()
    ]
    down = np.array(pod_down, np.uint8) if roots.size else np.zeros((1, 0, 1), np.uint8)
    return Shape(
        np.array(tree.leaves, np.int64),
        {leaf: number for number, leaf in enumerate(tree.leaves)},
        pod,
        place,
        sizes,
        middle,
        {int(switch): (int(row), int(column)) for (row, column), switch in np.ndenumerate(middle)},
        plane,
        way,
        np.array(leaf_up, np.uint8),
        np.array(leaf_down, np.uint8),
        roots,
        numbers,
        root_places,
        root_plane,
        np.array(middle_up, np.uint8),
        down,
        np.concatenate([down, down], axis=2).ravel(),
    )

"""The structure that opensm's engine ftree sees in a fabric: ranks, groups of cables, indices; and when it refuses.

Rank 0 are the roots. Without a root file ranks are measured from the switches with adapters upwards, and from the
uppermost of those downwards again; then the fabric has to be a pure fat tree, in which the switches of a rank have
equally many neighbours above and below and equally many cables to each. With a root file it need not, as long as all
adapters stand on switches of one rank.

A switch's index is a tuple: its rank, and a number for each rank below. Indices are given breadth first from the first
leaf in table order and decide all orders afterwards. Refusals are told in opensm's own lines.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NoReturn

from engine.control.subnet_manager.routing.candidates import known_roots
from engine.control.subnet_manager.routing.fabric import Fabric

Index = tuple[int, ...]

_INDEX_LENGTH, _UNUSED = 8, 255
_RANKS = range(2, 9)
_UNRANKED = -1
_ALONE = tuple((port,) for port in range(256))
"""Groups of one cable, by its port: most are, and a large tree has tens of thousands."""


class NotFatTree(Exception):
    """The fabric is none that the engine routes."""


@dataclass
class FatTree:
    """Columns over switches in table order. `ups`, `downs` and `siblings` are neighbouring switches in the order in
    which the engine looks at them; `cables[s][far]` are the ports of s whose cables lead to far. `leaves` are
    the switches from the first with adapters to the last, by index. `roots` are the GUIDs of a root file, None without
    one; `lines` is the log, to which what opensm says is added. Raises NotFatTree.
    """

    fabric: Fabric
    roots: Sequence[int] | None = None
    lines: list[str] = field(default_factory=list)
    ranks: list[int] = field(init=False)
    leaf_rank: int = field(init=False)
    cables: list[dict[int, tuple[int, ...]]] = field(init=False)
    ups: list[list[int]] = field(init=False)
    downs: list[list[int]] = field(init=False)
    siblings: list[list[int]] = field(init=False)
    index: list[Index] = field(init=False)
    leaves: list[int] = field(init=False)

    def __post_init__(self) -> None:
        count = len(self.fabric.switch_guids)
        if count < 2:
            self._give_up(f"Fabric has {count} switches - topology is not fat-tree.", _FALLING_BACK)
        if len(self.fabric.end_guids) < 2:
            nodes = count + len(self.fabric.end_guids)
            self._give_up(f"Fabric has {nodes} nodes ({count} switches) - topology is not fat-tree.", _FALLING_BACK)
        self.cables = [_cables(peers) for peers in self.fabric.peers]
        self._rank()
        self.ups = [self._neighbours(switch, -1) for switch in range(count)]
        self.downs = [self._neighbours(switch, 1) for switch in range(count)]
        self.siblings = [self._neighbours(switch, 0) for switch in range(count)]
        self.index = [(_UNUSED,) * _INDEX_LENGTH] * count
        self._give_indices(min(self.fabric.leaves))
        self.leaves = self._leaves()
        if self.roots is None:
            self._validate()

    @cached_property
    def most_adapters(self) -> int:
        """On one leaf."""
        return max(len(self.fabric.ends_of[leaf]) for leaf in self.leaves)

    def far_ports(self, switch: int, far: int) -> tuple[int, ...]:
        """The ports of `far` at the other ends of the cables from `switch`, in the order of the ports here."""
        there, ports = self.fabric.peer_ports[switch], self.cables[switch][far]
        return _ALONE[there[ports[0]]] if len(ports) == 1 else tuple(there[port] for port in ports)

    def _give_up(self, *lines: str) -> NoReturn:
        self.lines += lines
        raise NotFatTree(lines[0])

    def _rank(self) -> None:
        roots = known_roots(self.fabric, self.roots or ())
        unknown = [guid for guid in self.roots or () if guid not in self.fabric.switch_index]
        self.lines += [f"rank_root_sw_by_guid: ERR AB24: Root switch GUID 0x{guid:x} not found" for guid in unknown]
        if self.roots is not None and not roots:
            self.lines.append("fabric_load_roots: ERR AB25: No valid roots supplied")
        self.ranks = _hops_from(self.cables, roots or self._highest())
        deepest = max(self.ranks)
        if deepest == 0:
            self._give_up("construct_fabric: ERR AB2B: Found more than one root on fabric with maximum rank 0")
        self.leaf_rank = deepest if self.roots is None else self.ranks[self.fabric.end_switches[0]]
        if self.leaf_rank + 1 not in _RANKS:
            self._give_up(f"Fabric rank is {self.leaf_rank + 1} (should be between 2 and 8)")
        for guid, leaf in zip(self.fabric.end_guids, self.fabric.end_switches, strict=True):
            if self.ranks[leaf] != self.leaf_rank:
                self._give_up(
                    f"fabric_mark_leaf_switches: ERR AB26: CN port 0x{guid:x} is connected to switch "
                    f"0x{self.fabric.switch_guids[leaf]:x} with rank {self.ranks[leaf]}, "
                    f"while FatTree leaf rank is {self.leaf_rank}",
                    _NO_FAT_TREE,
                )

    def _highest(self) -> list[int]:
        """The switches that are farthest from those with adapters."""
        height = _hops_from(self.cables, sorted(self.fabric.leaves))
        top = max(height)
        return [switch for switch, hops in enumerate(height) if hops == top]

    def _neighbours(self, switch: int, step: int) -> list[int]:
        """Those whose rank differs by the sign of `step`, in the order of the first port to each."""
        rank = self.ranks[switch]
        return [far for far in self.cables[switch] if (self.ranks[far] > rank) - (self.ranks[far] < rank) == step]

    def _give_indices(self, first: int) -> None:
        self.index[first] = (self.leaf_rank, *[0] * self.leaf_rank, *[_UNUSED] * (_INDEX_LENGTH - 1 - self.leaf_rank))
        taken, lowest = {self.index[first]}, dict[Index, int]()
        waiting = deque([first])
        while waiting:
            switch = waiting.popleft()
            rank = self.ranks[switch]
            sides = []
            if rank < self.leaf_rank:
                sides.append((self.downs[switch], rank + 1, rank + 1))
            if rank > 0:
                sides.append((self.ups[switch], rank - 1, rank))
            for side, far_rank, position in sides:
                for far in side:
                    if self.index[far][0] == _UNUSED:
                        start = (far_rank, *self.index[switch][1:])
                        self.index[far] = _free_index(start, position, taken, lowest)
                        waiting.append(far)
                side.sort(key=self.index.__getitem__)

    def _leaves(self) -> list[int]:
        level = [switch for switch, rank in enumerate(self.ranks) if rank == self.leaf_rank]
        level.sort(key=self.index.__getitem__)
        bearing = [place for place, switch in enumerate(level) if self.fabric.ends_of[switch]]
        if len(bearing) < 2:
            self._give_up("Failed to find leaf switches - topology is not fat-tree", _NO_FAT_TREE)
        return level[bearing[0] : bearing[-1] + 1]

    def _validate(self) -> None:
        """Compare every switch with the first of its rank."""
        first: dict[int, int] = {}
        for switch, rank in enumerate(self.ranks):
            model = first.setdefault(rank, switch)
            if model == switch:
                continue
            inner = rank != self.leaf_rank
            self._compare("AB09", "upward port groups", "groups", model, switch, self.ups)
            if inner:
                self._compare("AB0A", "downward port groups", "port groups", model, switch, self.downs)
            wanted = len(self.cables[model][self.ups[model][0]]) if self.ups[model] else 0
            for far in self.ups[switch]:
                if len(self.cables[switch][far]) != wanted:
                    self._compare_cables("AB0B", "upward", (model, self.ups[model][0]), (switch, far))
            if inner and self.downs[model]:
                self._compare_cables("AB0C", "downward", (model, self.downs[model][0]), (switch, self.downs[switch][0]))

    def _compare(self, code: str, what: str, unit: str, model: int, switch: int, side: Sequence[Sequence[int]]) -> None:
        if len(side[model]) != len(side[switch]):
            self._refuse(code, f"number of {what} on", unit, (model, len(side[model])), (switch, len(side[switch])))

    def _compare_cables(self, code: str, what: str, model: tuple[int, int], other: tuple[int, int]) -> None:
        wanted, found = (len(self.cables[switch][far]) for switch, far in (model, other))
        if wanted != found:
            what = f"number of ports in an {what} port group on"
            self._refuse(code, what, "ports", (model[0], wanted), (other[0], found))

    def _refuse(self, code: str, what: str, unit: str, *counts: tuple[int, int]) -> None:
        told = "\n".join(f"       {self._name(switch)} - {count} {unit}" for switch, count in counts)
        self._give_up(
            f"fabric_validate_topology: ERR {code}: Different {what} switches:\n{told}",
            "fabric_validate_topology: ERR AB0D: Fabric topology hasn't been identified as FatTree",
            _NO_FAT_TREE,
        )

    def _name(self, switch: int) -> str:
        index = ".".join(str(number) for number in self.index[switch] if number != _UNUSED) or "INDEX.NOT.ASSIGNED"
        guid, lid = self.fabric.switch_guids[switch], self.fabric.switch_lids[switch]
        return f"GUID 0x{guid:016x}, LID {lid}, Index {index}"


_FALLING_BACK = "Falling back to default routing"
_NO_FAT_TREE = "Fabric topology is not a fat-tree"


def _cables(peers: Sequence[int]) -> dict[int, tuple[int, ...]]:
    found: dict[int, tuple[int, ...]] = {}
    for port, far in enumerate(peers):
        if far >= 0:
            found[far] = found[far] + _ALONE[port] if far in found else _ALONE[port]
    return found


def _hops_from(near: Sequence[Iterable[int]], start: Iterable[int]) -> list[int]:
    """Hops to the nearest of the switches `start`."""
    hops = [_UNRANKED] * len(near)
    waiting = deque(start)
    for switch in waiting:
        hops[switch] = 0
    while waiting:
        switch = waiting.popleft()
        for far in near[switch]:
            if hops[far] == _UNRANKED:
                hops[far] = hops[switch] + 1
                waiting.append(far)
    return hops


def _free_index(start: Index, position: int, taken: set[Index], lowest: dict[Index, int]) -> Index:
    """The first free index that differs from `start` at one position only. `lowest` remembers where to look on."""
    before, after = start[:position], start[position + 1 :]
    key = (*before, _UNUSED, *after)
    number = lowest.get(key, 0)
    while (index := (*before, number, *after)) in taken:
        number += 1
    lowest[key] = number + 1
    taken.add(index)
    return index

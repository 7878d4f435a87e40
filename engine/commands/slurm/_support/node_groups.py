"""The rows of sinfo: nodes of a partition that are alike in everything the format shows.

Source: SchedMD/slurm 24.11 src/sinfo/sinfo.c (_build_sinfo_data, _match_node_data, _match_part_data, _update_sinfo) and
sort.c.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.commands.slurm._support.node_facts import NodeFacts
from engine.control.slurm.configuration import PartitionConfiguration
from engine.kernel.hostlist import fold

# Fields by which rows differ: long name in the format -> what must be equal. Others never split a row.
PARTITION_KEYS: dict[str, Callable[[PartitionConfiguration], Any]] = {
    "Partition": lambda partition: partition.name,
    "PartitionName": lambda partition: partition.name,
    "Available": lambda partition: partition.state,
    "Size": lambda partition: (partition.min_nodes, partition.max_nodes),
    "DefaultTime": lambda partition: partition.default_time,
    "Time": lambda partition: partition.max_time,
    "Root": lambda partition: partition.root_only,
    "PriorityTier": lambda partition: partition.priority_tier,
    "PriorityJobFactor": lambda partition: partition.priority_factor,
}
NODE_KEYS: dict[str, Callable[[NodeFacts], Any]] = {
    "NodeHost": lambda facts: facts.name,
    "NodeAddr": lambda facts: facts.name,
    "Features": lambda facts: facts.configured.features,
    "features_act": lambda facts: facts.configured.features,
    "Gres": lambda facts: facts.gres,
    "GresUsed": lambda facts: facts.gres_used,
    "Comment": lambda facts: facts.record.comment,
    "Reason": lambda facts: facts.record.reason,
    "TimeStamp": lambda facts: facts.record.reason_time,
    "User": lambda facts: facts.record.reason_user,
    "UserLong": lambda facts: facts.record.reason_user,
    "StateCompact": lambda facts: facts.condition.long,
    "StateLong": lambda facts: facts.condition.long,
    "StateComplete": lambda facts: facts.condition.complete,
    "AllocMem": lambda facts: facts.held.memory,
}
# Only with -e.
EXACT_KEYS: dict[str, Callable[[NodeFacts], Any]] = {
    "CPUs": lambda facts: facts.configured.cpus,
    "Sockets": lambda facts: facts.configured.sockets,
    "Cores": lambda facts: facts.configured.cores,
    "Threads": lambda facts: facts.configured.threads,
    "SocketCoreThread": lambda facts: (facts.configured.sockets, facts.configured.cores, facts.configured.threads),
    "Disk": lambda facts: facts.configured.temporary_disk,
    "Memory": lambda facts: facts.configured.real_memory,
    "Weight": lambda facts: facts.configured.weight,
    "CPUsLoad": lambda facts: facts.load,
    "FreeMem": lambda facts: facts.free_memory,
    "Version": lambda facts: facts.version,
}


@dataclass(slots=True)
class Group:
    """A row: nodes of one partition (or, where no partition is shown, of any) that are alike."""

    partition: PartitionConfiguration
    position: int
    nodes: list[NodeFacts] = field(default_factory=list)

    @property
    def first(self) -> NodeFacts:
        return self.nodes[0]

    @property
    def names(self) -> str:
        """The nodes as a host list, `gpu-[001,008-010]`."""
        return fold(sorted((facts.name for facts in self.nodes), key=natural))

    def count(self, group: str) -> int:
        """How many of the nodes are `allocated`, `idle` or `other`."""
        return sum(facts.state_group == group for facts in self.nodes)


@dataclass(frozen=True, slots=True)
class Grouping:
    """How rows are told apart: long names of the fields shown, one row for each node (-N), exact (-e), without
    partitions (-R).
    """

    shown: frozenset[str]
    by_node: bool = False
    exact: bool = False
    any_partition: bool = False

    def build(self, partitions: Iterable[PartitionConfiguration], nodes: dict[str, NodeFacts]) -> list[Group]:
        """The rows, in the order in which sinfo makes them."""
        rows: dict[Any, Group] = {}
        empty_rows = not self.by_node and bool({"Partition", "PartitionName"} & self.shown)
        for position, partition in enumerate(partitions):
            mine = [nodes[name] for name in partition.nodes if name in nodes]
            if empty_rows and not mine:
                rows[partition.name, "empty"] = Group(partition, position)
            for facts in mine:
                row = rows.setdefault(self._key(partition, facts), Group(partition, position))
                row.nodes.append(facts)
        for row in rows.values():
            row.nodes = list({facts.name: facts for facts in row.nodes}.values())
        return list(rows.values())

    def _key(self, partition: PartitionConfiguration, facts: NodeFacts) -> Any:
        if self.by_node:
            return partition.name, facts.name
        parts = (
            () if self.any_partition else [key(partition) for name, key in PARTITION_KEYS.items() if name in self.shown]
        )
        keys = NODE_KEYS | EXACT_KEYS if self.exact else NODE_KEYS
        return (*parts, *(key(facts) for name, key in keys.items() if name in self.shown))


def natural(name: str) -> list[str | tuple[int, str]]:
    """Host names by their numbers."""
    parts = re.split(r"(\d+)", name)
    return [f"{int(part):012d}" if part.isdigit() else part for part in parts]


def _low(row: Group, value: Callable[[NodeFacts], int]) -> int:
    return min((value(facts) for facts in row.nodes), default=0)


# -S letters: what rows are sorted by. Letters that are not here are passed over, as sinfo does.
_SORT_KEYS: dict[str, Callable[[Group], Any]] = {
    "a": lambda row: row.partition.state,
    "A": lambda row: row.count("allocated"),
    "c": lambda row: _low(row, lambda facts: facts.configured.cpus),
    "d": lambda row: _low(row, lambda facts: facts.configured.temporary_disk),
    "D": lambda row: len(row.nodes),
    "E": lambda row: row.nodes[0].record.reason if row.nodes else "",
    "f": lambda row: row.nodes[0].configured.features if row.nodes else "",
    "F": lambda row: row.count("allocated"),
    "H": lambda row: row.nodes[0].record.reason_time if row.nodes else 0,
    "l": lambda row: float("inf") if row.partition.max_time is None else row.partition.max_time,
    "m": lambda row: _low(row, lambda facts: facts.configured.real_memory),
    "n": lambda row: natural(row.names),
    "N": lambda row: natural(row.names),
    "O": lambda row: _low(row, lambda facts: facts.load),
    "e": lambda row: _low(row, lambda facts: facts.free_memory),
    "p": lambda row: row.partition.priority_tier,
    "P": lambda row: row.partition.name,
    "r": lambda row: row.partition.root_only,
    "s": lambda row: row.partition.min_nodes,
    "t": lambda row: row.nodes[0].condition.number if row.nodes else 0,
    "T": lambda row: row.nodes[0].condition.number if row.nodes else 0,
    "u": lambda row: row.nodes[0].record.reason_user if row.nodes else "",
    "U": lambda row: row.nodes[0].record.reason_user if row.nodes else "",
    "w": lambda row: _low(row, lambda facts: facts.configured.weight),
}


def sort_rows(rows: Sequence[Group], order: str) -> list[Group]:
    """Rows by the letters of -S, first letter first; `-` turns one around, `#P` is slurm.conf's order of partitions."""
    result = list(rows)
    for index in range(len(order) - 1, -1, -1):
        letter, before = order[index], order[index - 1] if index else ""
        key = (lambda row: row.position) if (letter, before) == ("P", "#") else _SORT_KEYS.get(letter)
        if key is not None:
            result.sort(key=key, reverse=before == "-")
    return result

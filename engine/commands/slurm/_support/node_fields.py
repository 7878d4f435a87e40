"""The fields of sinfo: long name, letter, heading and what each shows of a row.

Source: SchedMD/slurm 24.11 src/sinfo/opts.c (fmt_data) and print.c.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.commands.slurm._support.columns import Field
from engine.commands.slurm._support.node_facts import NodeFacts
from engine.commands.slurm._support.node_groups import Group
from engine.control.accounts import identity
from engine.control.slurm.times import short_time, timestamp
from engine.kernel.units import SECOND


def _span(row: Group, value: Callable[[NodeFacts], int], show: Callable[[int], str] = str) -> str:
    """The value, or the smallest and `+` where the nodes differ."""
    values = [value(facts) for facts in row.nodes]
    if not values:
        return "0"
    return show(values[0]) if min(values) == max(values) else f"{show(min(values))}+"


def _range(row: Group, value: Callable[[NodeFacts], int], show: Callable[[int], str]) -> str:
    """`0.52-1.30`; N/A for nodes that never registered."""
    values = [value(facts) for facts in row.nodes if facts.known]
    if not values:
        return "N/A"
    low, high = min(values), max(values)
    return show(low) if low == high else f"{show(low)}-{show(high)}"


def _hundredths(value: int) -> str:
    return f"{value // 100}.{value % 100:02d}"


def _limit(limit: int | None, default: str) -> str:
    return default if limit is None else short_time(limit // SECOND)


def partition_name(row: Group) -> str:
    return row.partition.name + ("*" if row.partition.default else "")


def _size(row: Group) -> str:
    low, high = max(row.partition.min_nodes, 1), row.partition.max_nodes
    if high is None:
        return f"{low}-infinite"
    return str(high) if low == high else f"{low}-{high}"


def _cpus_state(row: Group) -> str:
    used = sum(facts.cpus_allocated for facts in row.nodes)
    total = sum(facts.configured.cpus for facts in row.nodes)
    barred = [
        facts
        for facts in row.nodes
        if facts.condition.complete.startswith("DOWN") or "+DRAIN" in facts.condition.complete
    ]
    other = sum(facts.configured.cpus - facts.cpus_allocated for facts in barred)
    return f"{used}/{total - used - other}/{other}/{total}"


def _threads(row: Group) -> str:
    parts = [_span(row, lambda facts: facts.configured.sockets), _span(row, lambda facts: facts.configured.cores)]
    return ":".join([*parts, _span(row, lambda facts: facts.configured.threads)])


def _node_counts(row: Group) -> str:
    return "/".join([*(str(row.count(group)) for group in ("allocated", "idle", "other")), str(len(row.nodes))])


def _first(value: Callable[[NodeFacts], str], empty: str = "") -> Callable[[Group], str]:
    return lambda row: value(row.first) if row.nodes else empty


def _user_long(row: Group) -> str:
    name = row.first.record.reason_user if row.nodes else ""
    return f"{name}({identity(row.first.cluster.world.inventory, name).uid})" if name else "Unknown"


def _when(row: Group) -> str:
    record = row.first.record if row.nodes else None
    return timestamp(row.first.cluster.world.inventory, record.reason_time) if record and record.reason else "Unknown"


FIELDS: tuple[Field[Group], ...] = (
    Field("AllocMem", "", "ALLOCMEM", _first(lambda facts: str(facts.held.memory), "0")),
    Field("AllocNodes", "S", "ALLOCNODES", lambda row: "all"),
    Field("Available", "a", "AVAIL", lambda row: row.partition.state.lower()),
    Field("Cluster", "V", "CLUSTER", lambda row: "N/A"),
    Field("Comment", "", "COMMENT", _first(lambda facts: facts.record.comment or "(null)", "(null)")),
    Field("Cores", "Y", "CORES", lambda row: _span(row, lambda facts: facts.configured.cores)),
    Field("CPUs", "c", "CPUS", lambda row: _span(row, lambda facts: facts.configured.cpus)),
    Field("CPUsLoad", "O", "CPU_LOAD", lambda row: _range(row, lambda facts: facts.load, _hundredths)),
    Field("CPUsState", "C", "CPUS(A/I/O/T)", _cpus_state),
    Field("DefaultTime", "L", "DEFAULTTIME", lambda row: _limit(row.partition.default_time, "n/a")),
    Field("Disk", "d", "TMP_DISK", lambda row: _span(row, lambda facts: facts.configured.temporary_disk)),
    Field("Extra", "", "EXTRA", lambda row: "(null)"),
    Field("Features", "f", "AVAIL_FEATURES", _first(lambda facts: facts.configured.features or "(null)", "(null)")),
    Field(
        "features_act",
        "b",
        "ACTIVE_FEATURES",
        _first(lambda facts: facts.configured.features or "(null)", "(null)"),
    ),
    Field("FreeMem", "e", "FREE_MEM", lambda row: _range(row, lambda facts: facts.free_memory, str)),
    Field("Gres", "G", "GRES", _first(lambda facts: facts.gres, "(null)")),
    Field("GresUsed", "", "GRES_USED", _first(lambda facts: facts.gres_used, "(null)")),
    Field("Groups", "g", "GROUPS", lambda row: "all"),
    Field("MaxCPUsPerNode", "B", "MAX_CPUS_PER_NODE", lambda row: "UNLIMITED"),
    Field("Memory", "m", "MEMORY", lambda row: _span(row, lambda facts: facts.configured.real_memory)),
    Field("NodeAddr", "o", "NODE_ADDR", lambda row: row.names, whole_heading=True),
    Field("NodeAI", "A", "NODES(A/I)", lambda row: f"{row.count('allocated')}/{row.count('idle')}"),
    Field("NodeAIOT", "F", "NODES(A/I/O/T)", _node_counts),
    Field("NodeHost", "n", "HOSTNAMES", lambda row: row.names, whole_heading=True),
    Field("NodeList", "N", "NODELIST", lambda row: row.names, whole_heading=True),
    Field("Nodes", "D", "NODES", lambda row: str(len(row.nodes))),
    Field("OverSubscribe", "h", "OVERSUBSCRIBE", lambda row: "NO"),
    Field("Partition", "P", "PARTITION", partition_name),
    Field("PartitionName", "R", "PARTITION", lambda row: row.partition.name),
    Field("Port", "", "PORT", _first(lambda facts: str(facts.configured.port), "0")),
    Field("PreemptMode", "M", "PREEMPT_MODE", lambda row: "OFF"),
    Field("PriorityJobFactor", "I", "PRIO_JOB_FACTOR", lambda row: str(row.partition.priority_factor)),
    Field("PriorityTier", "p", "PRIO_TIER", lambda row: str(row.partition.priority_tier)),
    Field("Reason", "E", "REASON", _first(lambda facts: facts.record.reason or "none", "none")),
    Field("Reservation", "i", "RESERVATION", lambda row: ""),
    Field("Root", "r", "ROOT", lambda row: "yes" if row.partition.root_only else "no"),
    Field("Share", "", "OVERSUBSCRIBE", lambda row: "NO", hidden=True),
    Field("Size", "s", "JOB_SIZE", _size),
    Field("Sockets", "X", "SOCKETS", lambda row: _span(row, lambda facts: facts.configured.sockets)),
    Field("SocketCoreThread", "z", "S:C:T", _threads),
    Field("StateCompact", "t", "STATE", _first(lambda facts: facts.condition.short.lower(), "n/a")),
    Field("StateComplete", "", "STATECOMPLETE", _first(lambda facts: facts.condition.complete.lower(), "n/a")),
    Field("StateLong", "T", "STATE", _first(lambda facts: facts.condition.long.lower(), "n/a")),
    Field("Threads", "Z", "THREADS", lambda row: _span(row, lambda facts: facts.configured.threads)),
    Field("Time", "l", "TIMELIMIT", lambda row: _limit(row.partition.max_time, "infinite")),
    Field("TimeStamp", "H", "TIMESTAMP", _when),
    Field("User", "u", "USER", _first(lambda facts: facts.record.reason_user or "Unknown", "Unknown")),
    Field("UserLong", "U", "USER", _user_long),
    Field("Version", "v", "VERSION", _first(lambda facts: facts.version if facts.known else "N/A", "N/A")),
    Field("Weight", "w", "WEIGHT", lambda row: _span(row, lambda facts: facts.configured.weight)),
)

"""NCCL as programs that start now would meet it: settings of nodes, and what collectives would reach.

Both look at a node as root finds it: files of the node, no variables of a shell or job, no home directory's file.
"""

from __future__ import annotations

from engine.control import limits
from engine.facts.fact import View, fact
from engine.facts.kinds import Host, Node, User
from engine.facts.values import Rate
from engine.physics.load import bound_gpus
from engine.workloads.nccl import CollectiveFailed, Rank, communicator
from engine.workloads.nccl.environment import environment_of

_LARGE = 1 << 30  # bytes; what is bound by bandwidth alone
_BITS_OF_GB = 8
_RING = {"NCCL_ALGO": "Ring"}


@fact("nccl.setting")
def setting(view: View, node: Node, variable: str) -> str | None:
    """What the node's own configuration file tells NCCL for a variable; no answer if it says nothing about it."""
    rank = Rank(node, "")
    return environment_of(view.world, rank).text(variable)


@fact("nccl.bandwidth")
def bandwidth(view: View, node: Node, other: Node) -> Rate | None:
    """The bus bandwidth that an all-reduce of 1 GiB in rings over all GPUs of two nodes (or of one, named twice) would
    reach if it began now and had them for itself; no answer where it would fail or never end.
    """
    hosts = dict.fromkeys((node, other))
    ranks = [Rank(host, gpu.id, environment=_RING) for host in hosts for gpu in bound_gpus(view.world, host)]
    if not ranks:
        return None
    try:
        found = communicator(view.world, ranks, time=view.now).bus_bandwidth("all_reduce", _LARGE)
    except CollectiveFailed:
        return None
    return Rate(int(found * _BITS_OF_GB))


@fact("login.memory_unlimited")
def memory_unlimited(view: View, host: Host, user: User) -> bool:
    """Whether the programs of a new login of a user may lock as much memory as they ask for."""
    return limits.memory_lock(view.world, host, user) is None

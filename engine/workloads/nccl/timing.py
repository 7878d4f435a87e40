"""Which algorithm and protocol NCCL takes for a size, and how long the collective then lasts.

NCCL chooses by what it believes and gets what the machine delivers. NCCL_ALGO and NCCL_PROTO restrict the choice:
`Ring,Tree`, `^NVLS` (all but), each perhaps for some functions only (`allreduce:tree;allgather:ring`), in any case of
letters (src/graph/tuning.cc, parseList).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernel.quick_dataclass import dataclass
from engine.workloads.nccl import achieve
from engine.workloads.nccl.believe import Choice, believed_time, choices
from engine.workloads.nccl.environment import Environment
from engine.workloads.nccl.operations import OPERATIONS
from engine.workloads.nccl.shape import Delivery, Shape

POINT_TO_POINT = "P2P"


@dataclass(frozen=True, slots=True)
class Timing:
    """How long one collective takes, and by which algorithm, protocol and how many channels."""

    microseconds: float
    algorithm: str
    protocol: str
    channels: int


@dataclass(frozen=True, slots=True)
class Restriction:
    """What NCCL_ALGO or NCCL_PROTO allows for one function (None: everything)."""

    names: frozenset[str] | None = None

    def allows(self, name: str) -> bool:
        """Whether the algorithm or protocol may be used."""
        return self.names is None or name.lower() in self.names


def restriction(text: str | None, operation: str, known: Sequence[str]) -> Restriction:
    """What a value of NCCL_ALGO or NCCL_PROTO allows for an operation."""
    if not text:
        return Restriction()
    title = OPERATIONS[operation].title.lower()
    everything = frozenset(name.lower() for name in known)
    allowed: frozenset[str] | None = None
    for part in text.lower().split(";"):
        function, colon, names = part.rpartition(":")
        if colon and title not in function.split(","):
            continue
        listed = frozenset(names.removeprefix("^").split(",")) & everything
        allowed = everything - listed if names.startswith("^") else listed
    return Restriction(allowed)


PROTOCOLS = ("LL", "LL128", "Simple")
ALGORITHMS = ("Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT")
"""NCCL's algorithms in its own order."""


def candidates(shape: Shape, operation: str, environment: Environment) -> tuple[Choice, ...]:
    """What NCCL may choose from for an operation."""
    algorithms = restriction(environment.text("NCCL_ALGO"), operation, ALGORITHMS)
    protocols = restriction(environment.text("NCCL_PROTO"), operation, PROTOCOLS)
    found = choices(shape, OPERATIONS[operation])
    return tuple(each for each in found if algorithms.allows(each.algorithm) and protocols.allows(each.protocol))


def chosen(shape: Shape, operation: str, found: Sequence[Choice], size: int) -> Choice:
    """What NCCL takes for this size: the least expected time. Raises ValueError where nothing is left."""
    return min(found, key=lambda each: believed_time(each, shape, OPERATIONS[operation], size))


def measured(shape: Shape, delivery: Delivery, operation: str, found: Sequence[Choice], size: int) -> Timing:
    """The time of one collective of `size` bytes; channels are left at 0."""
    what = OPERATIONS[operation]
    if what.point_to_point:
        return Timing(achieve.point_to_point_time(shape, delivery, what, size), POINT_TO_POINT, "Simple", 0)
    choice = chosen(shape, operation, found, size)
    return Timing(achieve.time(choice, shape, delivery, what, size), choice.algorithm, choice.protocol, 0)


def through_network(shape: Shape, operation: str, algorithm: str) -> float:
    """What each node sends through the network, as a part of the size: a ring and more than two nodes of a tree send
    what each GPU's link carries, two nodes of a tree the size itself, SHARP's switches get it once; single sends what
    is meant for other nodes.
    """
    what = OPERATIONS[operation]
    if what.point_to_point:
        elsewhere = (shape.ranks - shape.ranks_per_node) / shape.ranks
        return 1.0 if operation == "sendrecv" else elsewhere * shape.ranks_per_node
    in_tree = algorithm in ("Tree", "NVLSTree")
    if algorithm == "CollNetDirect" or (in_tree and shape.nodes == 2):
        return 1.0
    return what.bus_factor(shape.ranks)

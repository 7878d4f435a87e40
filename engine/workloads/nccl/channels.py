"""The channels of a communicator: rings and trees through its ranks, and how many there are.

Rules of src/graph (search.cc, connect.cc, trees.cc, paths.cc of 2.28.9), on boards whose GPUs NVSwitches join. Within
one node a ring follows the ranks. Between nodes two channels share two rails: the even one enters even nodes by the
first rail's GPU and leaves by the second's, the odd one the other way round, and odd nodes have both exchanged, so
that no rail is crossed. All channels exist twice; in trees the second half goes through the nodes in another order.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernel.quick_dataclass import dataclass
from engine.workloads.nccl.believe import ring_graph
from engine.workloads.nccl.environment import Environment
from engine.workloads.nccl.gathering import HostPart
from engine.workloads.nccl.shape import Shape

MOST = 64
_NVLS_HOPPER, _NVLS_BLACKWELL, _NVLS_BLACKWELL_ONE_NODE = 16, 32, 24
_OPERATIONS_OF_A_CHANNEL = 4
_THREADS_AND_WORK = {"LL": (512, 8), "LL128": (640, 8), "Simple": (512, 64)}


@dataclass(frozen=True, slots=True)
class Counts:
    """How many channels there are: for collectives, NVLink SHARP, single sends, and single sends to one peer."""

    collective: int
    nvls: int
    single: int
    single_per_peer: int


@dataclass(frozen=True, slots=True)
class TreePlace:
    """A rank's place in a tree; -1: none."""

    up: int
    down: tuple[int, int, int]

    def text(self, rank: int) -> str:
        """As NCCL's `Trees` line has it."""
        return "/".join(map(str, self.down)) + f"->{rank}->{self.up}"


def counts(shape: Shape, environment: Environment) -> Counts:
    """How many channels NCCL makes."""
    collective = _limited(min(MOST, 2 * ring_graph(shape).channels), environment)
    single = 1 << (collective - 1).bit_length()
    per_peer = single
    if shape.nodes > 1:
        per_peer = 2
        while per_peer > 1 and per_peer * shape.ranks > single * _OPERATIONS_OF_A_CHANNEL:
            per_peer //= 2
    return Counts(collective, _nvls(shape), single, per_peer)


def _limited(count: int, environment: Environment) -> int:
    """NCCL_MIN_NCHANNELS and NCCL_MAX_NCHANNELS (and the names CTAS that came after them)."""
    least = max(environment.number("NCCL_MIN_NCHANNELS", 0), environment.number("NCCL_MIN_CTAS", 1))
    most = min(environment.number("NCCL_MAX_NCHANNELS", MOST), environment.number("NCCL_MAX_CTAS", MOST))
    return max(min(count, max(1, most)), min(max(least, 1), MOST))


def _nvls(shape: Shape) -> int:
    usable = shape.multicast and shape.figures.nvls_share and shape.ranks_per_node > 1
    return nvls_channels(shape) if usable else 0


def nvls_channels(shape: Shape) -> int:
    """How many channels NVLink SHARP would get on these GPUs."""
    if shape.figures.compute_capability < 100:
        return _NVLS_HOPPER
    return _NVLS_BLACKWELL_ONE_NODE if shape.nodes == 1 else _NVLS_BLACKWELL


def used(found: Counts, algorithm: str, protocol: str, ranks: int, size: int) -> int:
    """How many channels a collective of `size` bytes goes over: fewer where each would have little to do."""
    if algorithm == "P2P":
        return found.single
    if algorithm.startswith("NVLS"):
        return found.nvls
    threads, work = _THREADS_AND_WORK[protocol]
    if (algorithm, protocol) == ("Ring", "LL"):
        work *= ranks
    return max(1, min(found.collective, size // (threads * work)))


def ring(parts: Sequence[HostPart], shape: Shape, channel: int) -> tuple[int, ...]:
    """The ranks of a channel's ring, from the one that comes in first on the first node."""
    if len(parts) == 1:
        return parts[0].ranks
    rail = channel % max(1, shape.adapters)
    order: list[int] = []
    for number, part in enumerate(parts):
        order += _through(part, rail ^ 1 if number % 2 and _paired(shape, rail) else rail, shape)
    return tuple(order)


def ring_from(order: Sequence[int], rank: int) -> tuple[int, ...]:
    """A ring as seen from one of its ranks."""
    place = order.index(rank)
    return (*order[place:], *order[:place])


def _paired(shape: Shape, rail: int) -> bool:
    return rail | 1 < shape.adapters


def _through(part: HostPart, rail: int, shape: Shape) -> list[int]:
    """The ranks of a node, from the one beside the rail: down the list on even rails, up on odd ones."""
    start = head_place(part, rail)
    step = 1 if rail % 2 else -1
    return [part.ranks[(start + step * index) % len(part.ranks)] for index in range(len(part.ranks))]


def head_place(part: HostPart, rail: int) -> int:
    """The place of the rank beside a rail among the ranks of its node."""
    if not part.adapters:
        return rail % len(part.ranks)
    return part.gpus.index(part.adapters[rail % len(part.adapters)].gpu)


def tree(parts: Sequence[HostPart], shape: Shape, count: int, channel: int, rank: int) -> TreePlace:
    """A rank's place in a channel's tree: a chain through the node, and a binary tree between nodes."""
    half = max(1, count // 2)
    node = next(number for number, part in enumerate(parts) if rank in part.ranks)
    chains = [_chain(part, channel % half) if len(parts) > 1 else part.ranks for part in parts]
    chain = chains[node]
    place = chain.index(rank)
    up = chain[place - 1] if place else -1
    down = [chain[place + 1]] if place + 1 < len(chain) else []
    if len(parts) > 1:
        above, children, kind = _second_tree(len(parts), node) if channel >= half else _tree(len(parts), node)
        if rank == chain[0] and above >= 0:
            up = _child_end(chains[above], kind)
        down += [
            chains[child][0] for kind, child in enumerate(children) if child >= 0 and rank == _child_end(chain, kind)
        ]
    filled = (*down, -1, -1, -1)
    return TreePlace(up, (filled[0], filled[1], filled[2]))


def _chain(part: HostPart, rail: int) -> tuple[int, ...]:
    start = head_place(part, rail)
    return (*part.ranks[start:], *part.ranks[:start])


def _child_end(chain: Sequence[int], kind: int) -> int:
    """The rank that a node's first or second child hangs on."""
    return chain[1 if kind == 0 and len(chain) > 1 else 0]


def _tree(nodes: int, node: int) -> tuple[int, tuple[int, int], int]:
    """A node's parent, its two children (-1: none), and whether it is a first (0) or second (1) child."""
    bit = 1
    while bit < nodes and not bit & node:
        bit <<= 1
    if node == 0:
        return -1, (-1, bit >> 1 if nodes > 1 else -1), 0
    above = (node ^ bit) | (bit << 1)
    if above >= nodes:
        above = node ^ bit
    low = bit >> 1
    first, second = (node - low, node + low) if low else (-1, -1)
    while second >= nodes:
        low >>= 1
        second = node + low if low else -1
    return above, (first, second), 0 if node < above else 1


def _second_tree(nodes: int, node: int) -> tuple[int, tuple[int, int], int]:
    """The tree whose leaves are the inner nodes of the first: mirrored, or shifted by one for an odd number."""

    def there(other: int) -> int:
        return (other - 1) % nodes if nodes % 2 else nodes - 1 - other

    def back(other: int) -> int:
        if other < 0:
            return -1
        return (other + 1) % nodes if nodes % 2 else nodes - 1 - other

    above, children, kind = _tree(nodes, there(node))
    return back(above), (back(children[0]), back(children[1])), kind

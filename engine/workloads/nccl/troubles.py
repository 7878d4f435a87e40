"""What keeps ranks from making a communicator or from ending a collective: looked up in the world before any timing.

Rules of NCCL 2.28.9's source. A queue pair gives up after 4.096 us x 2^NCCL_IB_TIMEOUT for each of NCCL_IB_RETRY_CNT
retries (20 and 7: half a minute), and the ranks at both of its ends see status 12. Guesses: from how little locked
memory on completion queues (512 KiB) or buffers (64 MiB) can no longer be had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.control.containers import CONTAINER
from engine.kernel.quick_dataclass import dataclass
from engine.physics import links
from engine.workloads.nccl import roce, timing
from engine.workloads.nccl.between import Rail, Rails
from engine.workloads.nccl.environment import Environment
from engine.workloads.nccl.failures import Result, Stage
from engine.workloads.nccl.gathering import HostPart
from engine.workloads.nccl.operations import OPERATIONS
from engine.workloads.nccl.ranks import Rank
from engine.world.records import BusState
from engine.world.world import World

_QUEUES_KIB, _BUFFERS_KIB = 512, 64 * 1024
_TIMEOUT_UNIT, _TIMEOUT, _RETRIES = 4_096, 20, 7
_NETWORKS = {"ib": "IB", "socket": "Socket"}


@dataclass(frozen=True, slots=True)
class Trouble:
    """A reason why it fails. `kind` says what the ranks' NCCL tells of it, `details` what it needs for that."""

    kind: str
    stage: Stage
    result: Result | None
    culprits: tuple[int, ...]
    after: int = 0
    hangs: bool = False
    details: tuple[str, ...] = ()
    rails: tuple[Rail, ...] = ()


def at_initialization(world: World, ranks: Sequence[Rank], parts: Sequence[HostPart]) -> Trouble | None:
    """What keeps the ranks from making a communicator, or None."""
    return next(_initialization(world, ranks, parts), None)


def in_run(world: World, ranks: Sequence[Rank], parts: Sequence[HostPart], rails: Rails) -> Trouble | None:
    """What keeps a collective from ending, or None."""
    return next(_run(world, ranks, parts, rails), None)


def _initialization(world: World, ranks: Sequence[Rank], parts: Sequence[HostPart]) -> Iterator[Trouble]:
    start = Stage.INITIALIZATION
    gone = _where(ranks, lambda rank: world.gpus[rank.gpu].bus is not BusState.PRESENT)
    if gone:
        yield Trouble("gpu", start, Result.UNHANDLED_CUDA_ERROR, gone)
    mute = tuple(number for part in parts if _mute(part) for number in part.ranks)
    if mute:
        yield Trouble("interface", start, Result.INVALID_USAGE, mute)
    for part in parts:
        wanted = part.environment.text("NCCL_NET")
        if wanted and _NETWORKS.get(wanted.lower()) != part.network:
            yield Trouble("network", start, Result.INVALID_USAGE, part.ranks)
        forced = part.environment.number("NCCL_NVLS_ENABLE", 2) == 1
        if forced and not part.multicast and len(part.ranks) > 1:
            yield Trouble("multicast", start, Result.UNHANDLED_CUDA_ERROR, part.ranks)
        for token, text in _unknown_words(part.environment):
            yield Trouble("words", start, Result.INVALID_USAGE, part.ranks, details=(token, text))


def _run(world: World, ranks: Sequence[Rank], parts: Sequence[HostPart], rails: Rails) -> Iterator[Trouble]:
    if len(parts) > 1:
        yield from _connecting(world, ranks, parts)
    gone = _where(ranks, lambda rank: world.gpus[rank.gpu].bus is not BusState.PRESENT)
    if gone:
        yield Trouble("lost", Stage.RUN, Result.UNHANDLED_CUDA_ERROR, gone)
    stuck = _where(ranks, lambda rank: rank.stopped or world.gpus[rank.gpu].hung)
    if stuck:
        yield Trouble("stuck", Stage.RUN, None, stuck, hangs=True)
    yield from _unresolved(world, parts, rails)
    broken = tuple(rail for rail in rails.rails if rail.way is None or not _reaches(world, parts, rail))
    if broken:
        yield _no_answer(world, parts, broken)


def _connecting(world: World, ranks: Sequence[Rank], parts: Sequence[HostPart]) -> Iterator[Trouble]:
    """Ranks of different nodes connect when the first collective begins."""
    if len({part.network for part in parts}) > 1:
        pairs = zip((parts[-1], *parts), parts, strict=False)
        edges = [here.ranks[0] for before, here in pairs if before.network != here.network]
        yield Trouble("disagree", Stage.RUN, Result.INTERNAL_ERROR, tuple(edges))
    elif not parts[0].socket:
        small = _where(ranks, _cannot_lock)
        if small:
            least = min(ranks[number].memory_lock or 0 for number in small)
            call = "ibv_create_cq" if least < _QUEUES_KIB else "ibv_reg_mr"
            yield Trouble("memory", Stage.RUN, Result.SYSTEM_ERROR, small, details=(call,))
        for part in parts:
            for adapter in part.adapters:
                if roce.missing(world, adapter.hca, part.environment):
                    yield Trouble("address", Stage.RUN, Result.SYSTEM_ERROR, part.ranks, details=(adapter.hca.name,))


def _unresolved(world: World, parts: Sequence[HostPart], rails: Rails) -> Iterator[Trouble]:
    """Connections for which a kernel finds no neighbour."""
    environments = {part.host: part.environment for part in parts}
    for rail in rails.rails:
        ends = [world.inventory.hca(port.rpartition("/")[0]) for port in (rail.source, rail.destination)]
        for (own, far), rank in zip((ends, ends[::-1]), (rail.sender, rail.receiver), strict=True):
            if roce.unresolved(world, own, far, (environments[own.node], environments[far.node])):
                yield Trouble("neighbour", Stage.RUN, Result.SYSTEM_ERROR, (rank,), details=(own.name, far.id))


def _reaches(world: World, parts: Sequence[HostPart], rail: Rail) -> bool:
    """Whether both ends of a connection reach the other with the addresses that they take."""
    source, destination = (world.inventory.hca(port.rpartition("/")[0]) for port in (rail.source, rail.destination))
    environments = {part.host: part.environment for part in parts}
    here, there = environments[source.node], environments[destination.node]
    reached = roce.reaches(world, source, destination, (here, there))
    return reached and roce.reaches(world, destination, source, (there, here))


def _no_answer(world: World, parts: Sequence[HostPart], broken: tuple[Rail, ...]) -> Trouble:
    """Packets that nobody acknowledges."""
    environment = parts[0].environment
    exponent = environment.number("NCCL_IB_TIMEOUT", _TIMEOUT) % 32
    retries = environment.number("NCCL_IB_RETRY_CNT", _RETRIES) % 8
    culprits = sorted({number for rail in broken for number in (rail.sender, rail.receiver)})
    return Trouble(
        "no answer",
        Stage.RUN,
        Result.REMOTE_ERROR if exponent else None,
        tuple(culprits),
        after=_TIMEOUT_UNIT * 2**exponent * max(1, retries),
        hangs=not exponent,
        details=tuple(port for port in dict.fromkeys(_ends(broken)) if not links.link_up(world, port)),
        rails=broken,
    )


def _ends(rails: Sequence[Rail]) -> Iterator[str]:
    for rail in rails:
        yield from (rail.source, rail.destination)


def no_algorithm(parts: Sequence[HostPart], operation: str) -> Trouble:
    """What NCCL_ALGO and NCCL_PROTO leave nothing for."""
    environment = parts[0].environment
    set_to = [(name, environment.text(name)) for name in ("NCCL_ALGO", "NCCL_PROTO")]
    text = "".join(f" {name} was set to {value}." for name, value in set_to if value)
    everybody = tuple(number for part in parts for number in part.ranks)
    title = OPERATIONS[operation].title
    return Trouble("algorithm", Stage.RUN, Result.INVALID_USAGE, everybody, details=(title, text))


def _mute(part: HostPart) -> bool:
    """Whether it finds no interface; left to itself NCCL always finds one, were it lo."""
    named = {"NCCL_SOCKET_IFNAME", "NCCL_SOCKET_FAMILY"} & set(part.environment.variables)
    return bool(named) and not part.interfaces


def _cannot_lock(rank: Rank) -> bool:
    """Whether the buffers are more than a rank may lock; root needs no leave, unless in a container."""
    if rank.user == "root" and CONTAINER not in rank.environment:
        return False
    return rank.memory_lock is not None and rank.memory_lock < _BUFFERS_KIB


def _unknown_words(environment: Environment) -> Iterator[tuple[str, str]]:
    """Words of NCCL_ALGO and NCCL_PROTO that NCCL does not know, with the whole value."""
    for name, known in (("NCCL_PROTO", timing.PROTOCOLS), ("NCCL_ALGO", timing.ALGORITHMS)):
        text = environment.text(name) or ""
        names = {each.lower() for each in known}
        for part in text.split(";") if text else ():
            for word in part.rpartition(":")[2].removeprefix("^").split(","):
                if word and word.lower() not in names:
                    yield word, text


def _where(ranks: Sequence[Rank], applies: Callable[[Rank], bool]) -> tuple[int, ...]:
    return tuple(number for number, rank in enumerate(ranks) if applies(rank))

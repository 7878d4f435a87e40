"""A communicator: what NCCL makes of a set of ranks, how fast its collectives are, what they send, and what it logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from engine.kernel.units import MILLISECOND, SECOND
from engine.physics.paths.network import WHOLE
from engine.workloads.nccl import channels, timing, troubles
from engine.workloads.nccl.believe import Choice
from engine.workloads.nccl.between import Rails, rails_of
from engine.workloads.nccl.channels import Counts
from engine.workloads.nccl.environment import Environment, environment_of
from engine.workloads.nccl.failures import CollectiveFailed
from engine.workloads.nccl.gathering import HostPart, host_part, shape_of
from engine.workloads.nccl.operations import OPERATIONS
from engine.workloads.nccl.ranks import Rank
from engine.workloads.nccl.shape import Delivery, Shape
from engine.workloads.nccl.timing import Timing
from engine.workloads.nccl.troubles import Trouble
from engine.world.world import World

_INITIALIZATION, _INITIALIZATION_OF_A_RANK = 4 * SECOND, 20 * MILLISECOND
_LARGE = 1 << 34


class Demand(NamedTuple):
    """What flows from one port to another while a collective runs, in bit/s, over the partition key at an index, with
    the DSCP that is asked for.
    """

    source: str
    destination: str
    rate: int
    key_index: int = 0
    dscp: int = 0


@dataclass(frozen=True)
class Communicator:
    """A communicator of ranks. `parts` are its hosts, in the order of their first rank; `trouble` is what keeps its
    collectives from ending (None: nothing).
    """

    world: World
    ranks: tuple[Rank, ...]
    parts: tuple[HostPart, ...]
    shape: Shape
    delivery: Delivery
    rails: Rails
    counts: Counts
    time: int
    trouble: Trouble | None
    _candidates: dict[str, tuple[Choice, ...]] = field(default_factory=dict, repr=False, compare=False)
    _timings: dict[tuple[str, int], Timing] = field(default_factory=dict, repr=False, compare=False)

    def timing(self, operation: str, size: int) -> Timing:
        """The time of one collective, with `size` as nccl-tests counts it (bytes). Raises CollectiveFailed."""
        if self.trouble:
            raise self._failed(self.trouble)
        key = operation, size
        if key not in self._timings:
            found = timing.measured(self.shape, self.delivery, operation, self._choices(operation), size)
            count = channels.used(self.counts, found.algorithm, found.protocol, self.shape.ranks, size)
            self._timings[key] = replace(found, channels=count)
        return self._timings[key]

    def bus_bandwidth(self, operation: str, size: int) -> float:
        """GB/s as nccl-tests counts bus bandwidth. Raises CollectiveFailed."""
        factor = OPERATIONS[operation].bus_factor(self.shape.ranks)
        return size / self.timing(operation, size).microseconds / 1000 * factor

    def demands(self, operation: str, size: int | None = None) -> tuple[Demand, ...]:
        """What flows through the network while the collective runs again and again; `size` None: a large one. Nothing
        within one node and over sockets. Raises CollectiveFailed.
        """
        if not self.rails.rails:
            return ()
        bytes_moved = size or _LARGE
        found = self.timing(operation, bytes_moved)
        moved = timing.through_network(self.shape, operation, found.algorithm) * bytes_moved / found.microseconds / 1000
        rate = int(min(moved / self.shape.adapters, self.rails.slowest) * 8e9)
        rails = self.rails.rails
        return tuple(Demand(rail.source, rail.destination, rate, rail.key_index, rail.dscp) for rail in rails)

    @cached_property
    def failure(self) -> CollectiveFailed | None:
        """How a collective that moves data would fail, or None."""
        return self._failed(self.trouble) if self.trouble else None

    @property
    def ports(self) -> tuple[str, ...]:
        """The network ports that it uses, in the order of the hosts."""
        return tuple(dict.fromkeys(rail.source for rail in self.rails.rails))

    @property
    def initialization(self) -> int:
        """How long making the communicator takes (ns); a guess, after what nccl-tests on such machines shows."""
        return initialization(len(self.ranks))

    def log(self, number: int) -> tuple[str, ...]:
        """What the NCCL of a rank prints while it makes the communicator, under its NCCL_DEBUG."""
        from engine.workloads.nccl import telling  # only who listens waits for it

        return telling.starting(self, number)

    def log_file(self, number: int) -> str | None:
        """The file that a rank's NCCL writes its lines to instead of its output (NCCL_DEBUG_FILE), or None."""
        from engine.workloads.nccl import telling  # only who listens waits for it

        return telling.log_file(self, number)

    def connecting(self, number: int, operation: str, size: int) -> tuple[str, ...]:
        """What it prints when it first uses the algorithm that it takes for this size."""
        from engine.workloads.nccl import telling  # only who listens waits for it

        return telling.connecting(self, number, self.timing(operation, size).algorithm)

    def tuning(self, operation: str, size: int) -> tuple[str, ...]:
        """What rank 0 prints about its choice at each call, where the subsystem TUNING is asked for."""
        from engine.workloads.nccl import telling  # only who listens waits for it

        return telling.tuning(self, operation, size)

    def _choices(self, operation: str) -> tuple[Choice, ...]:
        if operation not in self._candidates:
            found = timing.candidates(self.shape, operation, self.parts[0].environment)
            if not found and not OPERATIONS[operation].point_to_point:
                raise self._failed(troubles.no_algorithm(self.parts, operation))
            self._candidates[operation] = found
        return self._candidates[operation]

    def _failed(self, trouble: Trouble) -> CollectiveFailed:
        return _failure(self.world, self.ranks, self.parts, trouble, self.time)


def initialization(ranks: int) -> int:
    """How long making a communicator of so many ranks takes (ns)."""
    return _INITIALIZATION + _INITIALIZATION_OF_A_RANK * ranks


def communicator(
    world: World,
    ranks: Sequence[Rank],
    *,
    time: int,
    gpus_per_process: int = 1,
    share: int = WHOLE,
    before: Communicator | None = None,
) -> Communicator:
    """What NCCL makes of the ranks, in their order.

    `time` is now (ns; lines carry it), `gpus_per_process` how many GPUs one process serves, `share` (ppm) what other
    traffic leaves on the network. A communicator that was made earlier (`before`) keeps to its adapters, variables and
    addresses: an adapter that has lost its link since then makes it fail, where a new communicator would go without it.
    Raises CollectiveFailed where none can be made.
    """
    parts = _parts(world, ranks, before)
    if before is None:
        trouble = troubles.at_initialization(world, ranks, parts)
        if trouble:
            raise _failure(world, ranks, parts, trouble, time)
    shape = shape_of(parts)
    rails = rails_of(world, parts, shape)
    delivery = rails.delivery(parts, shape, gpus_per_process, share)
    trouble = troubles.in_run(world, ranks, parts, rails)
    counts = channels.counts(shape, parts[0].environment)
    return Communicator(world, tuple(ranks), parts, shape, delivery, rails, counts, time, trouble)


def _parts(world: World, ranks: Sequence[Rank], before: Communicator | None) -> tuple[HostPart, ...]:
    hosts: dict[str, list[int]] = {}
    for number, rank in enumerate(ranks):
        hosts.setdefault(rank.host, []).append(number)
    earlier = {part.host: part for part in before.parts} if before else {}
    return tuple(
        host_part(
            world,
            [ranks[number] for number in numbers],
            numbers,
            _environment(world, ranks[numbers[0]], earlier.get(host)),
            earlier.get(host),
        )
        for host, numbers in hosts.items()
    )


def _environment(world: World, rank: Rank, before: HostPart | None) -> Environment:
    """The variables of a rank: its own, and what it read from files when it started."""
    if before is None:
        return environment_of(world, rank)
    return Environment({**before.environment.variables, **rank.environment})


def _failure(
    world: World, ranks: Sequence[Rank], parts: Sequence[HostPart], trouble: Trouble, time: int
) -> CollectiveFailed:
    from engine.workloads.nccl import failing_lines, telling

    voices = {number: telling.voice(world, ranks, parts, number, time + trouble.after) for number in trouble.culprits}
    return CollectiveFailed(
        trouble.kind,
        trouble.stage,
        result=trouble.result,
        lines=failing_lines.lines(trouble, parts, voices),
        after=trouble.after,
        hangs=trouble.hangs,
        culprits=trouble.culprits,
    )

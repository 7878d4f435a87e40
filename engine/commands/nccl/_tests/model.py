"""The NCCL model as the tests use it: the ranks of a meeting, and the communicator that they make now."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from engine.control import communicators
from engine.control.accounts import identity
from engine.control.containers.inside import sees_infiniband
from engine.kernel.random import hash64
from engine.physics.load import bound_gpus
from engine.world.records import Meeting, Member, Process
from engine.world.world import World

if TYPE_CHECKING:
    from engine.workloads.nccl import CollectiveFailed, Communicator, Rank

WHOLE = 1_000_000
LARGE, SMALL = 16 << 20, 1 << 20
_NOISE_LARGE, _NOISE_SMALL = 3, 30  # permille
_STEPS = 1 << 20
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
_WARN = MappingProxyType({"NCCL_DEBUG": "WARN"})
_MARK = "NCCL WARN "


def ranks(world: World, meeting: Meeting, variables: Mapping[str, str] = _NO_VARIABLES) -> tuple[Rank, ...]:
    """NCCL's ranks: one for each GPU of each process, in order, with `variables` beside their own."""
    from engine.workloads.nccl import Rank

    found: list[Rank] = []
    for each in meeting.members:
        process = _process(world, each)
        gpus = bound_gpus(world, each.host)
        found += (
            Rank(
                host=each.host,
                gpu=gpus[index].id,
                pid=each.pid,
                user=process.user if process else "root",
                environment={**_environment(world, process), **variables},
                cpus=process.cpus if process else "",
                memory_lock=process.memory_lock if process else None,
                verbs=sees_infiniband(world, each.host, dict(process.environment) if process else {}),
                stopped=communicators.is_stopped(world, each),
            )
            for index in each.gpus
        )
    return tuple(found)


def _process(world: World, each: Member) -> Process | None:
    return next((process for process in world.systems[each.host].processes if process.pid == each.pid), None)


def _environment(world: World, process: Process | None) -> Mapping[str, str]:
    if process is None:
        return {}
    return {"HOME": identity(world.inventory, process.user).home, **dict(process.environment)}


def connect(
    world: World,
    meeting: Meeting,
    time: int,
    share: int = WHOLE,
    *,
    before: Communicator | None = None,
    variables: Mapping[str, str] = _NO_VARIABLES,
) -> Communicator:
    """The communicator that the processes make at `time`, or what has become of the one that they made `before`.

    `share` (ppm) is what other traffic leaves it. Raises CollectiveFailed.
    """
    from engine.workloads.nccl import communicator

    per_process = max((len(each.gpus) for each in meeting.members), default=1)
    taking_part = ranks(world, meeting, variables)
    return communicator(world, taking_part, time=time, gpus_per_process=per_process, share=share, before=before)


def errors_of(
    world: World, meeting: Meeting, time: int, failed: CollectiveFailed, before: Communicator | None
) -> tuple[tuple[int, str, str, tuple[str, ...]], ...]:
    """What NCCL tells each rank that notices a failure, as `Meeting.errors` keeps it.

    ncclGetLastError gives the last warning, whether NCCL_DEBUG lets it be printed or not.
    """
    warned = _warnings(world, meeting, time, before)
    text = failed.result.text if failed.result else ""
    return tuple(
        (number, text, warned.get(number, ""), tuple(failed.lines.get(number, ()))) for number in failed.culprits
    )


def _warnings(world: World, meeting: Meeting, time: int, before: Communicator | None) -> dict[int, str]:
    """The last warning of each rank."""
    from engine.workloads.nccl import CollectiveFailed

    try:
        failed = connect(world, meeting, time, before=before, variables=_WARN).failure
    except CollectiveFailed as error:
        failed = error
    found = {}
    for number, lines in failed.lines.items() if failed else ():
        warnings = [line.partition(_MARK)[2] for line in lines if _MARK in line]
        found[number] = warnings[-1] if warnings else ""
    return found


def noise(seed: int, words: str, hosts: str, size: int, side: int) -> float:
    """By what a measured time differs from the model's: 0.3 % from 16 MiB up, 3 % below 1 MiB, in between between."""
    if size >= LARGE:
        permille: float = _NOISE_LARGE
    elif size <= SMALL:
        permille = _NOISE_SMALL
    else:
        permille = _NOISE_SMALL - (_NOISE_SMALL - _NOISE_LARGE) * (size - SMALL) / (LARGE - SMALL)
    part = hash64(seed, words, hosts, size, side) % _STEPS / _STEPS * 2 - 1
    return 1 + part * permille / 1000

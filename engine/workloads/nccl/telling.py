"""From a communicator to the lines of its ranks: who speaks, under which numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.control import cuda_versions
from engine.kernel.random import hash64
from engine.workloads.nccl import connecting_lines, starting_lines
from engine.workloads.nccl.gathering import HostPart
from engine.workloads.nccl.operations import OPERATIONS
from engine.workloads.nccl.ranks import Rank
from engine.workloads.nccl.speaking import INFO, VERSION, WARN, Speaker, speaker
from engine.workloads.nccl.starting_lines import Member, Setting
from engine.world.world import World

if TYPE_CHECKING:
    from engine.workloads.nccl.communicator import Communicator

_NAMES = {"NVLSTree": "NVLS_TREE", "CollNetDirect": "COLLNET_DIRECT"}


def voice(world: World, ranks: Sequence[Rank], parts: Sequence[HostPart], number: int, time: int) -> Speaker:
    """The voice of a rank."""
    part = next(part for part in parts if number in part.ranks)
    return speaker(world.inventory, ranks[number], part.environment, _device(ranks, part, number), time)


def starting(nccl: Communicator, number: int) -> tuple[str, ...]:
    """The lines of a rank while the communicator is made."""
    member = _member(nccl, number)
    if member.speaker.level < VERSION:
        return ()
    setting = _setting(nccl)
    if member.speaker.level in (VERSION, WARN):
        return (starting_lines.version_line(setting),) if number == 0 else ()
    return tuple(starting_lines.lines(member, setting, nccl.world.node(member.part.host)))


def connecting(nccl: Communicator, number: int, algorithm: str) -> tuple[str, ...]:
    """The lines of a rank when it first uses an algorithm."""
    member = _member(nccl, number)
    return tuple(connecting_lines.lines(member, _setting(nccl), algorithm)) if member.speaker.level >= INFO else ()


def tuning(nccl: Communicator, operation: str, size: int) -> tuple[str, ...]:
    """Rank 0's line about the choice for a call."""
    say = voice(nccl.world, nccl.ranks, nccl.parts, 0, nccl.time)
    found = nccl.timing(operation, size)
    if OPERATIONS[operation].point_to_point or say.level < INFO:
        return ()
    algorithm = _NAMES.get(found.algorithm, found.algorithm.upper())
    choice = f"Algo {algorithm} proto {found.protocol.upper()} channel{{Lo..Hi}}={{0..{found.channels - 1}}}"
    return tuple(say.info("TUNING", f"{OPERATIONS[operation].title}: {size} Bytes -> {choice}", say.pid))


def log_file(nccl: Communicator, number: int) -> str | None:
    """NCCL_DEBUG_FILE with %h for the host and %p for the process, as far as the level is above VERSION."""
    say = voice(nccl.world, nccl.ranks, nccl.parts, number, nccl.time)
    part = next(part for part in nccl.parts if number in part.ranks)
    text = part.environment.text("NCCL_DEBUG_FILE")
    if not text or say.level <= VERSION:
        return None
    words = {"h": say.host, "p": str(say.pid), "%": "%"}
    return re.sub("%(.)", lambda found: words.get(found[1], found[0]), text)


def _device(ranks: Sequence[Rank], part: HostPart, number: int) -> int:
    """CUDA's number of a rank's GPU in its process: as its launcher says, or the node's own number."""
    given = ranks[number].device
    return part.gpus[part.ranks.index(number)].index if given is None else given


def _member(nccl: Communicator, number: int) -> Member:
    part = next(part for part in nccl.parts if number in part.ranks)
    rank, place = nccl.ranks[number], part.ranks.index(number)
    say = voice(nccl.world, nccl.ranks, nccl.parts, number, nccl.time)
    pointer = f"0x{0x5500_0000_0000 + hash64('nccl comm', rank.host, rank.pid, number) % 0x1F_FFFF_FFF0 // 16 * 16:x}"
    first = all((each.host, each.pid) != (rank.host, rank.pid) for each in nccl.ranks[:number])
    return Member(number, place, say.device, pointer, part.gpus[place], part, say, rank.cpus, first)


def _setting(nccl: Communicator) -> Setting:
    software = nccl.world.inventory.software
    first = nccl.ranks[0]
    one_process = len({(rank.host, rank.pid) for rank in nccl.ranks}) == 1 and len(nccl.ranks) > 1
    identity = f"0x{hash64('nccl id', nccl.world.seed, first.host, first.pid, len(nccl.ranks)):x}"
    spoken = cuda_versions.spoken_by(software["driver"]) or software["cuda"]
    major, _, minor = spoken.partition(".")
    return Setting(
        nccl.parts,
        nccl.shape,
        nccl.counts,
        software.get("nccl", ""),
        software["cuda"],
        int(major) * 1000 + int(minor or 0) * 10,
        identity,
        "ncclCommInitAll" if one_process else "ncclCommInitRank",
        nccl.initialization,
        one_process,
    )

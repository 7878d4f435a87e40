"""Parallel programs whose processes have met: who takes part, and how far they are."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """A process of a parallel program: `rank` among the processes, `gpus` are nvidia-smi's indices on its host.

    `lost` says how it ended before its time: killed (by `signal`), gpu_lost or node_down ("": it is there).
    """

    rank: int
    host: str
    pid: int
    gpus: tuple[int, ...] = ()
    lost: str = ""
    signal: int = 0


@dataclass(frozen=True, slots=True)
class Meeting:
    """The processes that one launch started: `size` of them are expected, `members` have come, in order of rank.

    `stage`: gathering, connecting (NCCL initialises), working or failed. After a failure `places` are the lines of the
    program's source through which it passed, `reason` what went wrong and `status` the exit code; `errors` are what
    the library told its ranks that noticed: (rank, error, last warning, lines that it printed).
    """

    size: int = 0
    members: tuple[Member, ...] = ()
    stage: str = "gathering"
    places: tuple[str, ...] = ()
    reason: str = ""
    status: int = 0
    errors: tuple[tuple[int, str, str, tuple[str, ...]], ...] = ()

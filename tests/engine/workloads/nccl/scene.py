"""Ranks on the nodes of the first site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.control import files
from engine.kernel.simulation import Simulation
from engine.workloads.nccl import Rank
from engine.world.world import World
from tests.support.worlds import bare_simulation

GIB = 1 << 30


def site() -> Simulation[World]:
    return bare_simulation()


def ranks(
    *nodes: int, gpus: Sequence[int] = range(8), environment: Mapping[str, str] | None = None, **changes: object
) -> list[Rank]:
    """One process for each GPU of nodes dgx-01 to dgx-04, with pids from 41000 on."""
    return [
        Rank(f"dgx-0{node}", f"dgx-0{node}/gpu{gpu}", 41_000 + 10 * gpu, "priya", environment or {}, **changes)
        for node in nodes
        for gpu in gpus
    ]


def write(simulation: Simulation[World], host: str, path: str, text: str) -> None:
    files.write(simulation, host, path, text.encode(), uid=0, gid=0)

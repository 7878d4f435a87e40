"""Network chunks that are too large: who is concerned."""

from __future__ import annotations

import pytest

from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.workloads.nccl import Rank, chunks, communicator
from engine.workloads.nccl.communicator import Communicator
from engine.world.world import World


@pytest.fixture
def site() -> Simulation[World]:
    return open_site("dgx-h100-4")


def made(site: Simulation[World], *hosts: str, **variables: str) -> Communicator:
    ranks = [Rank(host, f"{host}/gpu{number}", environment=variables) for host in hosts for number in range(4)]
    return communicator(site.world, ranks, time=site.now)


@pytest.mark.parametrize(("value", "wrong"), [("524288", False), ("1048576", True), ("4194304", True)])
def test_single_sends_between_nodes_are_damaged(site: Simulation[World], value: str, wrong: bool) -> None:
    both = made(site, "dgx-03", "dgx-04", NCCL_P2P_NET_CHUNKSIZE=value)
    assert (chunks.wrong_elements(both, "alltoall", 1 << 20, 0) > 0) == wrong
    assert chunks.wrong_elements(both, "all_reduce", 1 << 20, 0) == 0
    alone = made(site, "dgx-04", NCCL_P2P_NET_CHUNKSIZE=value)
    assert not chunks.unsafe(alone, "alltoall")

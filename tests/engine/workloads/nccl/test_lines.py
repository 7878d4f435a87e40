"""What NCCL logs, by rank, level and subsystem, compared with published logs where they are at hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.workloads.nccl import CollectiveFailed, Communicator, communicator
from engine.workloads.nccl.channels import TreePlace, tree
from tests.engine.workloads.nccl.scene import GIB, ranks, site

CORPUS = Path(__file__).parents[5] / "shared" / "corpus" / "nccl-log"
INFO = {"NCCL_DEBUG": "INFO"}


def nccl(*nodes: int, world=None, **environment: str) -> Communicator:
    return communicator(world or site().world, ranks(*nodes, environment=INFO | environment), time=0)


def texts(lines: tuple[str, ...]) -> list[str]:
    return [line.partition(" NCCL INFO ")[2] for line in lines]


def only(lines: tuple[str, ...], start: str) -> str:
    return next(text for text in texts(lines) if text.startswith(start))


def test_every_line_says_who_speaks() -> None:
    lines = nccl(1, 2).log(11)
    assert all(re.match(r"dgx-02:41030:\d+ \[3\] NCCL INFO \S", line) for line in lines)
    assert lines[0].startswith("dgx-02:41030:41030 ") and len({line.split()[0] for line in lines}) > 2


def test_the_start() -> None:
    lines = nccl(1, 2, NCCL_SOCKET_IFNAME="bond0", NCCL_IB_HCA="mlx5_0,mlx5_3").log(0)
    assert texts(lines)[:3] == [
        "ENV/Plugin: Could not find: libnccl-env.so",
        "NCCL_SOCKET_IFNAME set by environment to bond0",
        "Bootstrap: Using bond0:10.30.0.11<0>",
    ]
    shown = texts(lines)
    assert "NCCL version 2.28.9+cuda13.1" in shown and "NCCL_IB_HCA set to mlx5_0,mlx5_3" in shown
    assert "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_3:1/IB [RO]; OOB bond0:10.30.0.11<0>" in shown
    assert "Using network IB" in shown and "DMA-BUF is available on GPU device 0" in shown
    assert shown[-2].endswith(" - Init COMPLETE") and shown[-1].startswith(
        "Init timings - ncclCommInitRank: rank 0 nranks 16"
    )


def test_init_complete_names_the_gpu() -> None:
    numbers = "rank 4 nranks 8 cudaDev 4 nvmlDev 4 busId 9d000"
    pattern = rf"ncclCommInitRank comm 0x[0-9a-f]+ {numbers} commId 0x[0-9a-f]+ - Init START"
    assert re.fullmatch(pattern, only(nccl(1).log(4), "ncclCommInitRank comm"))


def test_ranks_of_one_communicator_share_its_id_and_nothing_else() -> None:
    found = nccl(1)
    starts = [only(found.log(rank), "ncclCommInitRank comm") for rank in range(8)]
    assert len({line.split("commId ")[1] for line in starts}) == 1 and len({line.split()[2] for line in starts}) == 8


def test_levels_and_subsystems() -> None:
    assert nccl(1, NCCL_DEBUG="WARN").log(0) == ("NCCL version 2.28.9+cuda13.1",)
    assert nccl(1, NCCL_DEBUG="version").log(1) == ()
    assert nccl(1, NCCL_DEBUG="LOUD").log(0) == ()
    assert communicator(site().world, ranks(1), time=0).log(0) == ()
    net = nccl(1, 2, NCCL_DEBUG_SUBSYS="NET")
    assert {text.split()[0] for text in texts(net.log(0))} >= {"NCCL", "NET/IB", "Using"} - {"Using"}
    assert all("Channel" not in text for text in texts(net.log(0)))
    assert all("[receive]" in text or "[send]" in text for text in texts(net.connecting(0, "all_gather", GIB)))
    without = nccl(1, 2, NCCL_DEBUG_SUBSYS="^INIT")
    assert all(" - Init COMPLETE" not in line for line in without.log(0)) and without.log(0)


def test_rings_of_one_node_and_of_two() -> None:
    one, two = nccl(1).log(0), nccl(1, 2).log(0)
    assert only(one, "Channel 00/24") == "Channel 00/24 : 0 1 2 3 4 5 6 7"
    assert only(two, "Channel 00/16") == "Channel 00/16 :  0  7  6  5  4  3  2  1  9 10 11 12 13 14 15  8"
    assert only(two, "Channel 01/16") == "Channel 01/16 :  0  8 15 14 13 12 11 10  9  1  2  3  4  5  6  7"
    assert not any(text.startswith("Channel") for text in texts(nccl(1, 2).log(1)))


def test_connections_of_a_ring_meet() -> None:
    found = nccl(1, 2)
    sent, received = set(), set()
    for rank in range(16):
        for text in texts(found.connecting(rank, "all_gather", GIB)):
            match = re.match(
                r"(Channel \d+/0 : \d+\[\d\] -> \d+\[\d\]) \[(send|receive)\] via NET/IB/(\d+)/GDRDMA$", text
            )
            if match:
                (sent if match[2] == "send" else received).add((match[1], match[3]))
    assert sent == received and len(sent) == 32  # sixteen channels, two crossings each, on the same rail at both ends


def test_transports() -> None:
    peer = texts(nccl(1).connecting(0, "all_reduce", 8))
    assert peer[0] == "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM"
    assert peer[-1] == "Connected all rings, use ring PXN 0 GDR 1"
    shared = texts(nccl(1, NCCL_P2P_DISABLE="1").connecting(0, "all_gather", GIB))
    assert shared[0] == "Channel 00 : 0[0] -> 1[1] via SHM/direct/direct"
    staged = texts(nccl(1, 2, NCCL_DMABUF_ENABLE="0", NCCL_NET_GDR_LEVEL="LOC").connecting(0, "all_gather", GIB))
    assert any(text.endswith("[receive] via NET/IB/0") for text in staged) and staged[-1].endswith("PXN 0 GDR 0")
    socket = texts(nccl(1, 2, NCCL_IB_DISABLE="1").connecting(0, "all_gather", GIB))
    assert any(" via NET/Socket/" in text for text in socket)
    assert "Using network Socket" in texts(nccl(1, 2, NCCL_IB_DISABLE="1").log(0))
    switches = texts(nccl(1).connecting(3, "all_reduce", GIB))
    assert switches[0].endswith(
        "headRank 3 nHeads 8 nvlsRanks 8 buffSize 1048576 nvlsPerRankSize 33554432 nvlsTotalSize 268435456"
    )


def test_one_process_for_all_gpus() -> None:
    chosen = [rank.__class__(rank.host, rank.gpu, 500, environment=INFO) for rank in ranks(1)]
    found = communicator(site().world, chosen, time=0, gpus_per_process=8)
    assert only(found.log(2), "ncclCommInitAll comm")
    assert texts(found.connecting(0, "all_reduce", 8))[0].endswith("via P2P/direct pointer")


def test_the_choice_of_a_call() -> None:
    found = nccl(1, NCCL_DEBUG_SUBSYS="TUNING")
    assert texts(found.tuning("all_reduce", GIB)) == [
        f"AllReduce: {GIB} Bytes -> Algo NVLS proto SIMPLE channel{{Lo..Hi}}={{0..15}}"
    ]
    assert "Algo RING proto LL channel{Lo..Hi}={0..0}" in found.tuning("all_reduce", 8)[0]
    assert nccl(1).tuning("all_reduce", 8) == ()


@pytest.mark.parametrize("nodes", [1, 2, 3, 4])
def test_trees_reach_everybody_once(nodes: int) -> None:
    found = nccl(*range(1, nodes + 1))
    everybody = range(8 * nodes)
    for channel in range(found.counts.collective):
        places: list[TreePlace] = [
            tree(found.parts, found.shape, found.counts.collective, channel, rank) for rank in everybody
        ]
        roots = [rank for rank in everybody if places[rank].up < 0]
        children = sorted(child for place in places for child in place.down if child >= 0)
        assert len(roots) == 1 and children == sorted(set(everybody) - set(roots))
        assert all(rank in places[places[rank].up].down for rank in everybody if rank not in roots)


def test_a_published_tree_of_two_nodes() -> None:
    line = only(nccl(1, 2).log(0), "Trees")
    assert line.startswith("Trees [0] 1/8/-1->0->-1 [1] -1/-1/-1->0->7 ") and " [8] 1/-1/-1->0->8 " in line


def shape(text: str) -> str:
    """A line with its numbers and names taken out."""
    return re.sub(r"0x[0-9a-f]+|\b[0-9a-f]*\d[0-9a-f]*\b", "N", text)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="published logs are not here")
def test_published_lines_have_this_form() -> None:
    found = nccl(1, 2)
    ours = {shape(text) for rank in (0, 4) for text in texts(found.log(rank))}
    ours |= {shape(text) for text in texts(found.connecting(4, "all_reduce", GIB))}
    published = (CORPUS / "init-complete-64-ranks.txt").read_text("utf-8").splitlines()
    for line in published[:3]:
        assert shape(line.partition(" NCCL INFO ")[2]) in ours
    using = (CORPUS / "net-ib-using-8-hca.txt").read_text("utf-8")
    assert only(found.log(0), "NET/IB : Using [0]mlx5_0:1/IB [1]").count(":1/") > 1
    assert re.search(r"NET/IB : Using( \[\d+\]mlx5_\d+:1/IB)+ \[RO\]; OOB \S+<0>", using)


def test_what_concerns_a_process_is_said_once() -> None:
    chosen = [rank.__class__(rank.host, rank.gpu, 500, environment=INFO) for rank in ranks(1)]
    found = communicator(site().world, chosen, time=0, gpus_per_process=8)
    lines = [text for rank in range(8) for text in texts(found.log(rank))]
    assert sum(text.startswith("Bootstrap: Using") for text in lines) == 1
    assert sum(text == "Using network IB" for text in lines) == 8


def test_nvlink_sharp_that_cannot_be_set_up() -> None:
    world = site().world
    world.nvlink_fabric.update("dgx-01", multicast=False)
    found = nccl(1, world=world)
    assert any(text.endswith("Proceeding without NVLS support.") for text in texts(found.log(3)))
    assert (
        " 0 nvls channels," in only(found.log(3), "24 coll channels")
        and found.timing("all_reduce", GIB).algorithm == "Ring"
    )
    with pytest.raises(CollectiveFailed) as raised:
        nccl(1, world=world, NCCL_NVLS_ENABLE="1")
    assert "Failed to bind NVLink SHARP (NVLS)" in raised.value.lines[7][1] and len(raised.value.lines[7]) == 5


def test_lines_can_go_to_a_file() -> None:
    assert nccl(1, NCCL_DEBUG_FILE="/tmp/nccl.%h.%p.log").log_file(2) == "/tmp/nccl.dgx-01.41020.log"
    assert nccl(1, NCCL_DEBUG_FILE="/tmp/%%x%q").log_file(0) == "/tmp/%x%q"
    assert nccl(1).log_file(0) is None and nccl(1, NCCL_DEBUG="VERSION", NCCL_DEBUG_FILE="/tmp/x").log_file(0) is None

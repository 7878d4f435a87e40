"""How collectives fail: who notices, after how long, and what is said."""

from __future__ import annotations

import pytest

from engine.control.network import SetInterface
from engine.kernel.units import SECOND
from engine.workloads.nccl import CollectiveFailed, Rank, Result, Stage, communicator
from engine.world.records import BusState
from engine.world.world import World
from tests.engine.workloads.nccl.scene import GIB, ranks, site, write
from tests.support.roce_site import inventory as roce_inventory

WARN = {"NCCL_DEBUG": "WARN"}
SERVERS = ("hgx-01", "hgx-02")


def failure(world: World, chosen, **settings) -> CollectiveFailed:
    with pytest.raises(CollectiveFailed) as raised:
        communicator(world, chosen, time=0, **settings).timing("all_reduce", GIB)
    return raised.value


def test_no_interface() -> None:
    found = failure(site().world, ranks(1, 2, environment={**WARN, "NCCL_SOCKET_IFNAME": "eth9"}))
    assert (found.stage, found.result, found.after) == (Stage.INITIALIZATION, Result.INVALID_USAGE, 0)
    assert len(found.culprits) == 16
    assert found.lines[0] == (
        "",
        "[2026-11-30 09:00:00] dgx-01:41000:41000 [0] bootstrap.cc:114 NCCL WARN Bootstrap : no socket interface found",
    )


def test_an_adapter_that_is_lost_in_the_run() -> None:
    world = site().world
    chosen = ranks(1, 2, environment={"NCCL_DEBUG": "INFO"})
    started = communicator(world, chosen, time=0)
    world.ports.update("dgx-02/mlx5_3/1", enabled=False)
    found = failure(world, chosen, before=started)
    assert (found.stage, found.result) == (Stage.RUN, Result.REMOTE_ERROR)
    assert found.culprits == (1, 9) and found.after == pytest.approx(30 * SECOND, rel=0.01)
    text = "\n".join(found.lines[9])
    assert "dgx-02:41010:" in text and "NET/IB : mlx5_3:1 Got non-fatal async event: port error(10)" in text
    assert "with status=IBV_WC_RETRY_EXC_ERR(12) opcode=" in text and text.endswith("-> 6 [Progress Thread]")
    assert communicator(world, ranks(1, 2), time=0).shape.adapters == 7  # a new one goes without it


def after_a_loss(**environment: str) -> CollectiveFailed:
    world, chosen = site().world, ranks(1, 2, environment=environment)
    started = communicator(world, chosen, time=0)
    world.ports.update("dgx-02/mlx5_3/1", enabled=False)
    return failure(world, chosen, before=started)


def test_retries_can_be_told_to_take_longer() -> None:
    assert after_a_loss(NCCL_IB_TIMEOUT="22", NCCL_IB_RETRY_CNT="7").after // SECOND == 120
    endless = after_a_loss(NCCL_IB_TIMEOUT="0")
    assert endless.hangs and endless.lines == {}


def test_hung_and_stopped_ranks_make_everybody_wait() -> None:
    world = site().world
    world.gpus.update("dgx-02/gpu3", hung=True)
    hung = failure(world, ranks(1, 2))
    assert hung.hangs and hung.culprits == (11,) and hung.result is None and not hung.lines
    stopped = [*ranks(1)[:4], *ranks(1, stopped=True)[4:5], *ranks(1)[5:]]
    assert failure(world, stopped).culprits == (4,)


def test_a_lost_gpu() -> None:
    world = site().world
    world.gpus.update("dgx-01/gpu2", bus=BusState.LOST)
    found = failure(world, ranks(1, environment=WARN))
    assert (found.result, found.culprits) == (Result.UNHANDLED_CUDA_ERROR, (2,))


def test_ranks_that_disagree_about_the_network() -> None:
    chosen = [*ranks(1, environment={**WARN, "NCCL_IB_DISABLE": "1"}), *ranks(2, environment=WARN)]
    found = failure(site().world, chosen)
    assert found.result is Result.INTERNAL_ERROR and found.culprits == (0, 8)
    assert found.lines[8][1].endswith("wrong type 3 != 4")


def test_a_network_that_is_asked_for_and_not_there() -> None:
    found = failure(site().world, ranks(1, environment={**WARN, "NCCL_NET": "IB", "NCCL_IB_DISABLE": "1"}))
    assert found.result is Result.INVALID_USAGE and "Failed to initialize any NET plugin" in found.lines[0][1]


def test_too_little_locked_memory() -> None:
    world = site().world
    least = failure(world, ranks(1, 2, environment=WARN, memory_lock=64))
    assert (
        least.result is Result.SYSTEM_ERROR and "ibv_create_cq failed with error Cannot allocate" in least.lines[0][1]
    )
    little = failure(world, ranks(1, 2, environment=WARN, memory_lock=8192))
    assert "Call to ibv_reg_mr failed" in little.lines[0][1]
    assert communicator(world, ranks(1, memory_lock=64), time=0).failure is None  # one node needs no adapter
    assert communicator(world, ranks(1, 2, memory_lock=None), time=0).failure is None


def test_words_that_nccl_does_not_know() -> None:
    found = failure(site().world, ranks(1, environment={**WARN, "NCCL_ALGO": "Ring,Star"}))
    assert 'Unrecognized element token "Star" when parsing "Ring,Star"' in found.lines[5][1]


def test_nothing_left_to_choose_from() -> None:
    found = failure(site().world, ranks(1, 2, environment={**WARN, "NCCL_ALGO": "NVLS"}))
    assert found.stage is Stage.RUN and found.result is Result.INVALID_USAGE
    assert found.lines[0][1].endswith("with datatype ncclFloat32. NCCL_ALGO was set to NVLS.")


def test_mute_without_a_level() -> None:
    assert failure(site().world, ranks(1, environment={"NCCL_ALGO": "Star"})).lines == {}


def on_ethernet(**environment: str) -> list[Rank]:
    return [
        Rank(host, f"{host}/gpu{gpu}", 41_000, environment={**WARN, **environment})
        for host in SERVERS
        for gpu in range(8)
    ]


def test_addresses_on_ethernet() -> None:
    world = World(roce_inventory(), 1)
    assert communicator(world, on_ethernet(), time=0).failure is None
    assert communicator(world, on_ethernet(NCCL_IB_GID_INDEX="1"), time=0).failure is None  # both in one network
    empty = failure(world, on_ethernet(NCCL_IB_GID_INDEX="7"))
    assert empty.result is Result.SYSTEM_ERROR and empty.after == 0
    assert "Call to ibv_modify_qp failed with 22 Invalid argument, on dev mlx5_0:1" in empty.lines[0][1]
    assert empty.lines[0][1].endswith("local GID index 7, local GID ::, remote GID ::")
    started = communicator(world, on_ethernet(), time=0)
    world.ports.update("hgx-02/mlx5_0/1", enabled=False)
    lost = failure(world, on_ethernet(), before=started)
    assert " localGid ::ffff:10.40.0.11 remoteGids::ffff:10.40.0.12 hca mlx5_0" in "\n".join(lost.lines[0])


def test_a_running_communicator_keeps_what_it_read_at_its_start() -> None:
    simulation = site()
    world = simulation.world
    started = communicator(world, ranks(1, 2, environment={"NCCL_SOCKET_IFNAME": "bond0"}), time=0)
    write(simulation, "dgx-01", "/etc/nccl.conf", "NCCL_P2P_DISABLE=1\n")
    simulation.apply(SetInterface("dgx-02", "bond0", up=False))
    world.ports.update("dgx-02/mlx5_3/1", enabled=False)
    later = communicator(world, ranks(1, 2, environment=WARN), time=0, before=started)
    assert later.delivery.ring == started.delivery.ring and later.shape.adapters == 8
    assert later.failure is not None and later.parts[1].interfaces == started.parts[1].interfaces
    assert communicator(world, ranks(1, 2), time=0).delivery.ring < started.delivery.ring / 10

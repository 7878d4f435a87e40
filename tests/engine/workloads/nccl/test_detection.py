"""What NCCL finds on a host: interfaces, adapters, ways to GPU memory, and what it makes of them."""

from __future__ import annotations

from types import MappingProxyType

import pytest

from engine.control.network import SetInterface
from engine.workloads.nccl import Communicator, communicator
from engine.workloads.nccl.adapters import level_named
from engine.world.world import World
from tests.engine.workloads.nccl.scene import GIB, ranks, site

LARGE = 16 * GIB


def nccl(world: World, *nodes: int, gpus=range(8), **environment: str) -> Communicator:
    return communicator(world, ranks(*nodes, gpus=gpus, environment=environment), time=0)


def names(found: Communicator) -> list[str]:
    return [adapter.hca.name for adapter in found.parts[0].adapters]


def interface(world: World, **environment: str) -> str:
    return nccl(world, 1, **environment).parts[0].interfaces[0].name


def test_interfaces() -> None:
    simulation = site()
    world = simulation.world
    assert interface(world) == "ibp24s0"  # names that begin with ib come first, even with a link-local address
    assert interface(world, NCCL_SOCKET_IFNAME="bond0") == "bond0"
    assert interface(world, NCCL_SOCKET_IFNAME="^ib,lo,docker") == "eno3"
    assert interface(world, NCCL_SOCKET_IFNAME="=bond0,eno3") == "eno3"  # the kernel's order, not the list's
    assert interface(world, NCCL_SOCKET_FAMILY="AF_INET") == "eno3"
    simulation.apply(SetInterface("dgx-01", "eno3", up=False))
    assert interface(world, NCCL_SOCKET_FAMILY="AF_INET") == "bond0"


def test_adapters_beside_the_gpus_carry_channels_and_others_are_only_listed() -> None:
    found = nccl(site().world, 1, 2)
    listed = [hca.name for hca in found.parts[0].devices]
    assert "mlx5_2" in listed and "mlx5_1" not in listed  # in-band Ethernet is up, the storage port has no cable
    assert names(found) == ["mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11"]


def test_fewer_gpus_use_fewer_adapters() -> None:
    world = site().world
    assert names(nccl(world, 1, 2, gpus=(0, 5))) == ["mlx5_0", "mlx5_9"]
    one = nccl(world, 1, 2, gpus=(3,)).bus_bandwidth("all_reduce", LARGE)
    assert one == pytest.approx(48, rel=0.02)


def test_a_list_of_adapters() -> None:
    world = site().world
    assert names(nccl(world, 1, 2, NCCL_IB_HCA="=mlx5_1,mlx5_10")) == ["mlx5_10"]
    assert len(names(nccl(world, 1, 2, NCCL_IB_HCA="^mlx5_0:1"))) == 7
    far = nccl(world, 1, 2, gpus=(0,), NCCL_IB_HCA="mlx5_11")
    assert names(far) == ["mlx5_11"] and not far.shape.direct
    asked = nccl(world, 1, 2, gpus=(0,), NCCL_IB_HCA="mlx5_11", NCCL_NET_GDR_LEVEL="SYS")
    assert asked.shape.direct and asked.bus_bandwidth("all_reduce", LARGE) > far.bus_bandwidth("all_reduce", LARGE)


def test_dma_buf_makes_up_for_a_missing_module() -> None:
    world = site().world
    world.systems.update("dgx-01", modules=MappingProxyType({"nvidia_peermem": None}))
    assert nccl(world, 1, 2).shape.direct
    without = nccl(world, 1, 2, NCCL_DMABUF_ENABLE="0")
    assert not without.shape.direct and [part.memory for part in without.parts] == [None, "peermem"]
    assert without.bus_bandwidth("all_reduce", LARGE) < 0.5 * nccl(world, 1, 2).bus_bandwidth("all_reduce", LARGE)


def test_sockets_where_there_is_no_access_to_adapters() -> None:
    world = site().world
    hidden = communicator(world, ranks(1, 2, verbs=False), time=0)
    asked = nccl(world, 1, 2, NCCL_NET="Socket")
    world.systems.update(
        "dgx-01", modules=MappingProxyType({"ib_uverbs": None, "mlx5_ib": None, "nvidia_peermem": None})
    )
    world.systems.update(
        "dgx-02", modules=MappingProxyType({"ib_uverbs": None, "mlx5_ib": None, "nvidia_peermem": None})
    )
    for found in (hidden, asked, nccl(world, 1, 2)):
        assert found.shape.socket and found.bus_bandwidth("all_reduce", LARGE) < 6
        assert found.demands("all_reduce") == ()


@pytest.mark.parametrize(
    ("text", "level"),
    [(None, None), ("PHB", "PHB"), ("0", "LOC"), ("2", "PXB"), ("4", "SYS"), ("9", "SYS"), ("phb", None), ("-1", None)],
)
def test_levels(text: str | None, level: str | None) -> None:
    assert level_named(text) == level


def test_channels() -> None:
    world = site().world
    one, two, four = (nccl(world, *nodes).counts for nodes in ((1,), (1, 2), (1, 2, 3, 4)))
    assert (one.collective, one.nvls, one.single, one.single_per_peer) == (24, 16, 32, 32)
    assert (two.collective, two.single_per_peer) == (16, 2) and four.single_per_peer == 2
    assert nccl(world, 1, NCCL_MAX_NCHANNELS="4").counts.collective == 4
    assert nccl(world, 1, NCCL_MIN_NCHANNELS="32").counts.collective == 32


def test_choices_can_be_restricted() -> None:
    world = site().world
    assert nccl(world, 1).timing("all_reduce", LARGE).algorithm == "NVLS"
    assert nccl(world, 1, NCCL_ALGO="ring").timing("all_reduce", LARGE).algorithm == "Ring"
    assert nccl(world, 1, NCCL_ALGO="^NVLS").timing("all_reduce", LARGE).algorithm == "Ring"
    assert nccl(world, 1, NCCL_ALGO="allreduce:tree").timing("all_reduce", LARGE).algorithm == "Tree"
    assert nccl(world, 1, NCCL_ALGO="allgather:ring").timing("all_reduce", LARGE).algorithm == "NVLS"
    assert nccl(world, 1, NCCL_PROTO="LL128").timing("all_reduce", 1 << 20).protocol == "LL128"
    assert nccl(world, 1, NCCL_NVLS_ENABLE="0").timing("all_reduce", LARGE).algorithm == "Ring"


def test_every_operation_has_a_time_that_grows() -> None:
    found = nccl(site().world, 1, 2)
    for operation in ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "alltoall", "sendrecv"):
        small, large = (found.timing(operation, size).microseconds for size in (8, GIB))
        assert 5 < small < 100 < large
    assert found.bus_bandwidth("alltoall", GIB) < found.bus_bandwidth("all_gather", GIB)


def test_what_flows() -> None:
    world = site().world
    assert nccl(world, 1).demands("all_reduce") == ()
    flows = nccl(world, 1, 2, 3, NCCL_ALGO="Ring").demands("all_reduce")
    assert len(flows) == 24 and ("dgx-03/mlx5_11/1", "dgx-01/mlx5_11/1") in {flow[:2] for flow in flows}
    assert {round(flow.rate / 1e9) for flow in flows} == {367}
    two = nccl(world, 1, 2)
    assert all(flow.rate < 400e9 for flow in two.demands("all_reduce"))
    assert set(two.ports) == {flow.source for flow in flows if flow.source.startswith(("dgx-01", "dgx-02"))}


def test_a_share_of_the_network_slows_what_crosses_it() -> None:
    world = site().world
    half = communicator(world, ranks(1, 2), time=0, share=500_000)
    assert half.bus_bandwidth("all_gather", LARGE) == pytest.approx(191, rel=0.02)


def test_without_peers_and_shared_memory_everything_goes_over_the_network() -> None:
    world = site().world
    shared = nccl(world, 1, NCCL_P2P_DISABLE="1").bus_bandwidth("all_gather", LARGE)
    outside = nccl(world, 1, NCCL_P2P_DISABLE="1", NCCL_SHM_DISABLE="1").bus_bandwidth("all_gather", LARGE)
    assert shared == pytest.approx(22, rel=0.1) and outside == pytest.approx(47, rel=0.05)


def test_more_sockets_help_a_little() -> None:
    world = site().world
    usual = {"NCCL_IB_DISABLE": "1", "NCCL_SOCKET_IFNAME": "bond0"}
    one = nccl(world, 1, 2, **usual).bus_bandwidth("all_gather", LARGE)
    four = nccl(world, 1, 2, **usual, NCCL_NSOCKS_PERTHREAD="4").bus_bandwidth("all_gather", LARGE)
    assert one < four < 4 * one
    slow = nccl(world, 1, 2, NCCL_IB_DISABLE="1", NCCL_SOCKET_IFNAME="eno3").bus_bandwidth("all_gather", LARGE)
    assert slow == pytest.approx(1.15, rel=0.02)  # 10 Gb/s


def test_one_rank_alone() -> None:
    found = nccl(site().world, 1, gpus=(2,), NCCL_DEBUG="INFO")
    assert found.timing("all_reduce", 8).microseconds < 20 and found.bus_bandwidth("all_gather", GIB) > 0
    assert found.connecting(0, "all_reduce", 8) == () and found.failure is None

"""Paths of a world: what taking a lane, a link or an adapter away does to each of them."""

from __future__ import annotations

import pytest

from engine.physics import links
from engine.physics import pcie as bus
from engine.physics.paths import fabric, near, network, nvlink, pcie, topology
from engine.world.world import World
from tests.support.worlds import inventory

HOST = "dgx-01"
GPU, OTHER, ADAPTER = f"{HOST}/gpu0", f"{HOST}/gpu1", f"{HOST}/mlx5_0"
GPU_LINK, NIC_LINK, UPLINK = f"{HOST}/0000:1b:00.0", f"{HOST}/0000:18:00.0", f"{HOST}/0000:16:00.0"
NIC_PORT = f"{HOST}/0000:17:00.0"
PORT, PEER, OTHER_LEAF = f"{ADAPTER}/1", "dgx-02/mlx5_0/1", "dgx-02/mlx5_9/1"


@pytest.fixture
def world() -> World:
    return World(inventory(), 1)


def rates(world: World) -> dict[str, float]:
    return {
        "h2d": pcie.host_copy(world, GPU),
        "d2d": nvlink.peer_copy(world, GPU, OTHER),
        "host": network.host_rdma(world, ADAPTER),
        "gpu": network.gpu_rdma(world, GPU, ADAPTER, direct=True),
        "staged": network.gpu_rdma(world, GPU, ADAPTER, direct=False),
        "fabric": fabric.carried(world, PORT, PEER),
    }


def factors(world: World) -> dict[str, float]:
    healthy = rates(World(inventory(), 1))
    return {name: round(rate / healthy[name], 2) for name, rate in rates(world).items()}


def changed(world: World) -> dict[str, float]:
    return {name: factor for name, factor in factors(world).items() if factor != 1.0}


def test_a_healthy_node(world: World) -> None:
    found = rates(world)
    assert found["h2d"] == pytest.approx(55.3, abs=0.1) and found["d2d"] == pytest.approx(382.5)
    assert found["host"] * 8 == pytest.approx(392.7, abs=0.1) and found["gpu"] == found["host"]
    assert found["staged"] < found["gpu"] / 2


@pytest.mark.parametrize(
    ("link", "change", "expected"),
    [
        (GPU_LINK, {"width": 8}, {"h2d": 0.5, "gpu": 0.58}),
        (GPU_LINK, {"generation": 4}, {"h2d": 0.47, "gpu": 0.58}),
        (GPU_LINK, {"generation": 2}, {"h2d": 0.12, "gpu": 0.15, "staged": 0.41}),
        (NIC_LINK, {"width": 8}, {"host": 0.58, "gpu": 0.58}),
        (UPLINK, {"generation": 4}, {"h2d": 0.47, "host": 0.58, "staged": 0.47}),
        (NIC_PORT, {"redirect": True}, {"gpu": 0.56}),
    ],
)
def test_a_hop_counts_for_those_who_cross_it(
    world: World, link: str, change: dict[str, int], expected: dict[str, float]
) -> None:
    world.pcie_links.update(link, **change)
    assert changed(world) == expected


def test_nvlinks_count_one_by_one(world: World) -> None:
    world.nvlinks.update(GPU, down=(4,))
    assert nvlink.working(world, GPU) == 17 and changed(world) == {"d2d": 0.94}
    gpus = world.node(HOST).gpus
    assert topology.gpu_relation(world, gpus[0], gpus[1]) == "NV17"
    assert topology.gpu_relation(world, gpus[1], gpus[2]) == "NV18"
    world.nvlinks.update(GPU, down=tuple(range(18)))
    assert topology.gpu_relation(world, gpus[0], gpus[1]) == "NODE" and factors(world)["d2d"] == 0.09


def test_a_fabric_without_access_leaves_the_links_up(world: World) -> None:
    world.nvlink_fabric.update(HOST, peer_access=False)
    assert nvlink.working(world, GPU) == 18 and factors(world)["d2d"] == 0.08


def test_an_iommu_that_translates_hits_direct_traffic(world: World) -> None:
    world.systems.update(HOST, kernel_options="ro")
    assert changed(world) == {"h2d": 0.97, "gpu": 0.25}


def test_a_cable_narrows_everything_that_leaves(world: World) -> None:
    cable = links.cable(inventory(), PORT)
    assert cable is not None
    world.cables.update(cable.id, rate_limit=200)
    assert changed(world) == {"host": 0.5, "gpu": 0.5, "fabric": 0.5}
    world.cables.update(cable.id, rate_limit=None, error_exponent=7)
    assert 0.5 < factors(world)["fabric"] < 0.95
    world.cables.update(cable.id, plugged=False)
    assert network.wire(world, PORT) == 0.0 and fabric.between(world, PORT, PEER) is None


def test_the_smaller_packet_of_both_ends_counts(world: World) -> None:
    world.ports.update(PORT, mtu=1024)
    assert changed(world) == {"host": 0.98, "gpu": 0.98, "fabric": 0.98}
    assert network.packet_size(world, f"{HOST}/mlx5_2/1") == 1024  # an interface of 1500 bytes


def test_others_take_their_share(world: World) -> None:
    assert network.wire(world, PORT, share=500_000) == pytest.approx(network.wire(world, PORT) / 2)


def test_ways_through_the_fabric(world: World) -> None:
    near_by, far = fabric.between(world, PORT, PEER), fabric.between(world, PORT, OTHER_LEAF)
    assert near_by is not None and near_by.switches == 1 and near_by.rate == 400
    assert far is not None and far.switches == 3
    assert fabric.between(world, PORT, f"{HOST}/mlx5_2/1") is None


def test_far_adapters_go_through_the_processor(world: World) -> None:
    same_socket = network.gpu_nic(world, GPU, f"{HOST}/mlx5_3")
    other_socket = network.gpu_nic(world, GPU, f"{HOST}/mlx5_9")
    assert network.gpu_nic(world, GPU, ADAPTER) > same_socket > other_socket


def test_who_is_near(world: World) -> None:
    node = world.node(HOST)
    assert near.cpu_list(node, 1) == "56-111,168-223"
    assert near.near(node, 0, "") and near.near(node, 0, "50-60") and not near.near(node, 0, "56-111,168")
    assert near.common(node, 1, "50-60,168") == "56-60,168" and near.common(node, 1, "3") == ""
    assert pcie.host_copy(world, GPU, near=False) == pytest.approx(pcie.host_copy(world, GPU) * 0.9)


def test_links_inside_a_switch_are_no_hops(world: World) -> None:
    node = world.node(HOST)
    assert pcie.hops(node, "0000:1b:00.0") == ("0000:1b:00.0", "0000:16:00.0")
    between, ports = pcie.meeting(node, "0000:1b:00.0", "0000:18:00.0")
    assert between == ("0000:1b:00.0", "0000:18:00.0") and "0000:17:03.0" in ports
    assert pcie.meeting(node, "0000:1b:00.0", "0000:9a:00.0") == ((), ())
    assert bus.link(world, HOST, "0000:16:00.0").width == 16

"""Copies: what products reach, and by which factor each degradation moves copies from the host and between GPUs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.kernel.simulation import Simulation
from engine.physics.paths import figures, nvlink, pcie
from engine.simulation import open_site
from engine.workloads import gpu_copies
from engine.workloads.gpu_copies import Manner, Memory
from engine.world.world import World

HOST = "dgx-01"
GPU, PEER = f"{HOST}/gpu0", f"{HOST}/gpu1"
UPLINK = "0000:16:00.0"
ENGINE = Manner(1.0)


@pytest.fixture(scope="module")
def pristine() -> Simulation[World]:
    return open_site("dgx-h100-4")


@pytest.fixture
def world(pristine: Simulation[World]) -> World:
    return pristine.fork().world


def host(world: World, memory: Memory = Memory(), gpu: str = GPU, manner: Manner = ENGINE) -> float:  # noqa: B008
    found = world.inventory.gpu(gpu)
    beside = gpu_copies.is_near(world, found, memory, 1)
    return gpu_copies.host_rate(world, found, manner, beside=beside, time=0)


def peers(world: World, one: str = GPU, other: str = PEER) -> float:
    return gpu_copies.peer_rate(world, world.inventory.gpu(one), world.inventory.gpu(other), ENGINE, time=0)


@pytest.mark.parametrize(
    ("product", "host_rate", "one_way", "both"),
    [
        ("NVIDIA A100-SXM4-80GB", 26.1, 273.0, 516.0),
        ("NVIDIA H100 80GB HBM3", 55.3, 382.5, 742.5),
        ("NVIDIA H200", 55.3, 396.0, 751.5),
        ("NVIDIA B200", 55.3, 747.0, 1476.0),
    ],
)
def test_products(product: str, host_rate: float, one_way: float, both: float) -> None:
    found = figures.gpu_figures(product)
    assert pcie.copy(found.pcie_generation, 16) == pytest.approx(host_rate, rel=0.01)
    assert nvlink.peer(found.nvlinks, found) == pytest.approx(one_way, rel=0.01)
    assert 2 * gpu_copies.both_ways(found.nvlinks, found) == pytest.approx(both, rel=0.01)


def test_a_healthy_node(world: World) -> None:
    assert host(world) == pytest.approx(55.3, rel=0.005)
    assert peers(world) == pytest.approx(382.5, rel=0.005)
    assert gpu_copies.local_rate(world, world.inventory.gpu(GPU)) == pytest.approx(1273, rel=0.005)


Change = Callable[[World], object]
LINK, FUNCTION = f"{HOST}/{UPLINK}", f"{HOST}/0000:1b:00.0"

# Rows of the table of degradations whose state the world has, with the factors of host to device and device to device.
DEGRADED: list[tuple[str, Change, float, float]] = [
    ("gpu-x8", lambda world: world.pcie_links.update(FUNCTION, width=8), 0.50, 1.0),
    ("gpu-gen4", lambda world: world.pcie_links.update(FUNCTION, generation=4), 0.47, 1.0),
    ("gpu-gen2", lambda world: world.pcie_links.update(FUNCTION, generation=2), 0.12, 1.0),
    ("nic-x8", lambda world: world.pcie_links.update(f"{HOST}/0000:18:00.0", width=8), 1.0, 1.0),
    ("uplink-gen4", lambda world: world.pcie_links.update(LINK, generation=4), 0.47, 1.0),
    ("nvlink-17", lambda world: world.nvlinks.update(GPU, down=(3,)), 1.0, 0.94),
    ("nvlink-9", lambda world: world.nvlinks.update(GPU, down=tuple(range(9))), 1.0, 0.50),
    ("nvlink-0", lambda world: world.nvlinks.update(GPU, down=tuple(range(18))), 1.0, 0.09),
    ("partition", lambda world: world.nvlink_fabric.update(HOST, peer_access=False), 1.0, 0.08),
    ("nvls-off", lambda world: world.nvlink_fabric.update(HOST, multicast=False), 1.0, 1.0),
    ("acs-one", lambda world: world.pcie_links.update(f"{HOST}/0000:17:00.0", redirect=True), 1.0, 1.0),
    ("iommu-one", lambda world: world.systems.update(HOST, kernel_options="ro"), 0.97, 1.0),
    ("hot-half", lambda world: world.gpus.update(GPU, locked_clock=990), 1.0, 1.0),
    ("hbm-retry", lambda world: world.gpus.update(GPU, memory_permille=850), 1.0, 1.0),
    ("power-500", lambda world: world.gpus.update(GPU, power_limit=500_000), 1.0, 1.0),
]


@pytest.mark.parametrize(("name", "change", "to_device", "between"), DEGRADED, ids=[row[0] for row in DEGRADED])
def test_degradations(world: World, name: str, change: Change, to_device: float, between: float) -> None:
    del name
    healthy = host(world), peers(world)
    change(world)
    assert host(world) / healthy[0] == pytest.approx(to_device, rel=0.15)
    assert peers(world) / healthy[1] == pytest.approx(between, rel=0.15)
    assert (to_device == 1.0) == (host(world) == healthy[0])
    assert (between == 1.0) == (peers(world) == healthy[1])


@pytest.mark.parametrize(
    "memory", [Memory(nodes="1"), Memory(cpus="56-111", moves=False), Memory(cpus="60", nodes="1", moves=False)]
)
def test_a_wrong_binding_costs_a_tenth(world: World, memory: Memory) -> None:
    assert host(world, memory) / host(world) == pytest.approx(0.90, rel=0.01)
    assert host(world, memory, f"{HOST}/gpu7") == pytest.approx(55.3, rel=0.01)


def test_nobody_else_notices(world: World) -> None:
    before = (
        host(world, gpu=f"{HOST}/gpu2"),
        peers(world, f"{HOST}/gpu2", f"{HOST}/gpu3"),
        host(world, gpu="dgx-02/gpu0"),
    )
    world.pcie_links.update(FUNCTION, width=4)
    world.nvlinks.update(GPU, down=(0, 1))
    after = (
        host(world, gpu=f"{HOST}/gpu2"),
        peers(world, f"{HOST}/gpu2", f"{HOST}/gpu3"),
        host(world, gpu="dgx-02/gpu0"),
    )
    assert before == after


def test_gpus_of_one_link_share_it(world: World) -> None:
    gpu = world.inventory.gpu(GPU)
    alone = gpu_copies.host_rate(world, gpu, ENGINE, beside=True, time=0, together=[gpu])
    assert alone == pytest.approx(55.3, rel=0.01)
    assert gpu_copies.host_rate(world, gpu, ENGINE, beside=True, time=0, together=[gpu, gpu]) == alone / 2


def test_kernels_need_clocks(world: World) -> None:
    assert gpu_copies.kernels_to_host(0.5) == 1.0 and gpu_copies.kernels_to_host(0.25) == 0.5
    low = gpu_copies.clock(world, world.inventory.gpu("dgx-04/gpu0"), 0)
    assert low == pytest.approx(345 / 1980, rel=0.01)
    slow = host(world, gpu="dgx-04/gpu0", manner=Manner(0.636, kernels=True))
    assert slow == pytest.approx(55.3 * 0.636 * low / 0.5, rel=0.01)


def test_small_copies_wait_for_each_other() -> None:
    assert gpu_copies.with_gaps(382.0, 1 << 29) == pytest.approx(382.0, rel=0.002)
    assert gpu_copies.with_gaps(382.0, 1 << 20) == pytest.approx(221, rel=0.01)
    assert gpu_copies.with_gaps(0.0, 1 << 20) == 0.0


def test_samples_are_fixed_by_name_and_stay_within_bounds() -> None:
    values = [gpu_copies.sampled(100.0, "a", number) for number in range(200)]
    assert values == [gpu_copies.sampled(100.0, "a", number) for number in range(200)]
    assert 99.7 <= min(values) < 99.8 and 100.2 < max(values) <= 100.3
    assert sum(values) / 200 == pytest.approx(100.0, rel=0.0005)

"""Collectives against published measurements.

Bands are what the model reaches: wide where releases of NCCL differ (1 to 16 MiB over nodes).
"""

from __future__ import annotations

import pytest

from tests.engine.workloads.nccl.machines import GIB, KIB, MIB, machine


@pytest.mark.parametrize(
    ("size", "published", "band"),
    [
        (16 * GIB, 234.89, 0.02), (GIB, 229.04, 0.02), (256 * MIB, 194.07, 0.11), (64 * MIB, 171.54, 0.02),
        (4 * MIB, 72.33, 0.10), (MIB, 18.0, 0.03),
    ],
)  # fmt: skip
def test_eight_a100(size: int, published: float, band: float) -> None:
    """ml-engineering, nccl-tests -g 8."""
    assert machine("A100", launches=8).bus(size) == pytest.approx(published, rel=band)


@pytest.mark.parametrize(
    ("size", "published", "band"),
    [
        (16 * GIB, 482.26, 0.02), (4 * GIB, 473.1, 0.02), (GIB, 463.58, 0.02), (256 * MIB, 436.15, 0.02),
        (64 * MIB, 346.51, 0.04), (16 * MIB, 219.89, 0.05), (4 * MIB, 107.16, 0.08), (MIB, 39.93, 0.15),
    ],
)  # fmt: skip
def test_eight_h200(size: int, published: float, band: float) -> None:
    """ml-engineering, all_reduce_bench of torch, which adds about 25 us."""
    assert machine("H200").bus(size, added=25) == pytest.approx(published, rel=band)


@pytest.mark.parametrize(("gpus", "published"), [(4, 363.3), (5, 414.2), (6, 435.6), (7, 460.0), (8, 473.1)])
def test_fewer_h200(gpus: int, published: float) -> None:
    """ml-engineering, 8 GiB."""
    assert machine("H200", gpus=gpus).bus(8 * GIB) == pytest.approx(published, rel=0.02)


def test_what_does_not_use_nvlink_sharp() -> None:
    ring = machine("H200", nvls=False)
    assert ring.bus(16 * GIB) == pytest.approx(367.61, rel=0.01)
    assert machine("H200").bus(16 * GIB, "all_gather") == pytest.approx(361.4, rel=0.01)
    assert machine("H200").bus(16 * GIB, "reduce_scatter") == pytest.approx(362.9, rel=0.01)


def test_eight_h100() -> None:
    """NCCL's maintainers, and NVIDIA/nccl-tests#212."""
    assert machine("H100").bus(16 * GIB) == pytest.approx(480, rel=0.01)
    assert machine("H100", nvls=False).bus(16 * GIB) == pytest.approx(370, rel=0.01)
    assert machine("H100").bus(256 * MIB) == pytest.approx(437, rel=0.01)


@pytest.mark.parametrize(
    ("size", "published", "band"),
    [(8 * GIB, 838.0, 0.01), (GIB, 723.34, 0.06), (256 * MIB, 646.11, 0.02), (64 * MIB, 400.6, 0.15)],
)
def test_eight_b200(size: int, published: float, band: float) -> None:
    """ml-engineering."""
    assert machine("B200").bus(size, added=25 if size < 8 * GIB else 0) == pytest.approx(published, rel=band)


def test_a_ring_of_b200() -> None:
    assert machine("B200", nvls=False).bus(8 * GIB) == pytest.approx(682.2, rel=0.01)


@pytest.mark.parametrize(("gib", "published"), [(1, 449.51), (2, 461.62), (4, 467.43), (16, 471.22)])
def test_two_h100_over_ethernet(gib: int, published: float) -> None:
    """oci-hpc."""
    assert machine("H100", 2, fabric="ethernet").bus(gib * GIB) == pytest.approx(published, rel=0.025)


@pytest.mark.parametrize(
    ("size", "published"),
    [(16 * GIB, 487.09), (GIB, 436.95), (256 * MIB, 342.81), (64 * MIB, 209.19), (16 * MIB, 105.52)],
)
def test_two_h100_over_efa(size: int, published: float) -> None:
    """aws-samples."""
    assert machine("H100", 2, fabric="efa").bus(size) == pytest.approx(published, rel=0.03)


@pytest.mark.parametrize(("gib", "published"), [(1, 184.92), (2, 187.18), (4, 188.39), (8, 189.60)])
def test_two_a100_over_ethernet(gib: int, published: float) -> None:
    """oci-hpc-oke."""
    assert machine("A100", 2, rate=200, fabric="ethernet").bus(gib * GIB) == pytest.approx(published, rel=0.02)


@pytest.mark.parametrize(
    ("size", "published", "band"), [(4 * GIB, 191.3, 0.01), (GIB, 183.3, 0.03), (256 * MIB, 167.4, 0.07)]
)
def test_two_a100_over_hdr(size: int, published: float, band: float) -> None:
    """deepops."""
    assert machine("A100", 2, rate=200).bus(size) == pytest.approx(published, rel=band)


@pytest.mark.parametrize(("mib", "published"), [(64, 467.9), (16, 203.0), (8, 146.5), (4, 127.6)])
def test_nvlink_sharp_with_a_tree(mib: int, published: float) -> None:
    """NVIDIA/nccl#1244: us on two nodes of H20 with 16 NDR adapters each."""
    found = machine("H200", 2, rate=800, NCCL_ALGO="NVLSTree").time(mib * MIB)
    assert found.algorithm == "NVLSTree" and found.microseconds == pytest.approx(published, rel=0.09)


def test_tree_and_ring_over_few_adapters() -> None:
    """NVIDIA/nccl#837, #949, #1368."""
    assert machine("A100", 2, rate=200, adapters=2, NCCL_ALGO="Tree").bus(GIB) == pytest.approx(57.06, rel=0.02)
    assert machine("A100", 2, rate=200, adapters=2, NCCL_ALGO="Ring").bus(2 * GIB) == pytest.approx(48, rel=0.01)
    ring = machine("H100", 5, adapters=4, fabric="ethernet", NCCL_ALGO="Ring")
    tree = machine("H100", 5, adapters=4, fabric="ethernet", NCCL_ALGO="Tree")
    assert ring.bus(GIB) == pytest.approx(190, rel=0.03) and tree.bus(GIB) == pytest.approx(150, rel=0.03)


@pytest.mark.parametrize(
    ("size", "published", "band"), [(16 * GIB, 381.8, 0.02), (GIB, 361.99, 0.06), (256 * MIB, 229.09, 0.19)]
)
def test_a_ring_of_four_b200_nodes(size: int, published: float, band: float) -> None:
    """ml-engineering."""
    assert machine("B200", 4, fabric="efa", NCCL_ALGO="Ring").bus(size) == pytest.approx(published, rel=band)


def test_more_nodes() -> None:
    """NVIDIA/nccl-tests#119, ml-engineering, NVIDIA/nccl-tests#283."""
    assert machine("A100", 3, rate=200, adapters=4).bus(133169160) == pytest.approx(95.8, rel=0.09)
    assert machine("H200", 4, fabric="efa", NCCL_ALGO="Ring").bus(16 * GIB) == pytest.approx(369.06, rel=0.01)
    assert machine("H200", 4, fabric="efa").bus(4 * GIB) == pytest.approx(364.87, rel=0.02)
    assert machine("H200", 248).bus(512 * MIB) == pytest.approx(350, rel=0.11)


@pytest.mark.parametrize(
    ("gpus", "published"), [(2, 10.0), (3, 13.76), (4, 16.88), (5, 20.8), (6, 25.2), (7, 29.5), (8, 33.7)]
)
def test_one_process_launches_one_gpu_after_the_other(gpus: int, published: float) -> None:
    """NVIDIA/nccl-tests#123: us of 8 bytes on A100."""
    found = machine("A100", gpus=gpus, launches=gpus, NCCL_ALGO="Ring").time(8)
    assert found.microseconds == pytest.approx(published, rel=0.09)


def test_latencies_over_nodes() -> None:
    """NVIDIA/nccl#652, aws-samples."""
    assert machine("A100", 32, rate=200, adapters=4).time(8).microseconds == pytest.approx(63, rel=0.04)
    assert machine("H100", 2, fabric="efa").time(8).microseconds == pytest.approx(69.1, rel=0.06)


@pytest.mark.parametrize(
    ("gpu", "nodes", "latency", "mib16", "gib1", "gib16", "gathered"),
    [
        ("A100", 1, 15.0, 167, 230, 235, 231), ("A100", 2, 25.2, 99, 188, 191, 191),
        ("A100", 8, 45.2, 74, 185, 191, 191), ("H100", 1, 15.0, 285, 462, 477, 361),
        ("H100", 2, 25.2, 157, 456, 480, 367), ("H100", 4, 35.2, 116, 352, 367, 366),
        ("H100", 32, 65.2, 107, 343, 364, 364), ("H200", 2, 25.2, 157, 458, 481, 367),
        ("B200", 1, 15.0, 316, 769, 842, 668), ("B200", 2, 25.2, 160, 475, 501, 381),
        ("B200", 16, 55.2, 91, 344, 363, 380),
    ],
)  # fmt: skip
def test_healthy_figures_stay(
    gpu: str, nodes: int, latency: float, mib16: float, gib1: float, gib16: float, gathered: float
) -> None:
    found = machine(gpu, nodes, rate=200 if gpu == "A100" else 400)
    assert found.time(8).microseconds == pytest.approx(latency, abs=0.1)
    figures = (found.bus(16 * MIB), found.bus(GIB), found.bus(16 * GIB), found.bus(16 * GIB, "all_gather"))
    assert figures == pytest.approx((mib16, gib1, gib16, gathered), rel=0.01)


def test_choices_that_were_measured() -> None:
    """H200: Ring with LL up to 1 MiB and NVLink SHARP from 2 MiB on, and from five GPUs on (ml-engineering)."""
    eight = machine("H200")
    assert [(eight.time(size).algorithm, eight.time(size).protocol) for size in (MIB, 2 * MIB)] == [
        ("Ring", "LL"),
        ("NVLS", "Simple"),
    ]
    assert [machine("H200", gpus=gpus).time(8 * GIB).algorithm for gpus in (4, 5)] == ["Ring", "NVLS"]
    assert [machine("B200", gpus=gpus).time(8 * GIB).algorithm for gpus in (6, 7)] == ["Ring", "NVLS"]
    assert machine("H100", 2).time(GIB).algorithm == "NVLSTree" and machine("A100", 2).time(GIB).algorithm == "Ring"


def test_small_messages_take_the_tree_over_nodes() -> None:
    assert machine("H100", 4).time(8).algorithm == "Tree" and machine("H100", 4).time(64 * KIB).protocol in (
        "LL",
        "LL128",
    )


def test_without_a_direct_path_ll128_goes() -> None:
    staged = machine("H100", 4).with_(direct=False)
    assert machine("H100", 4).time(256 * KIB).protocol == "LL128" and staged.time(256 * KIB).protocol != "LL128"


def test_a_slow_clock_costs_latency_first_and_rate_below_its_headroom() -> None:
    slow = machine("H100", 4).with_(clock=0.87)
    assert slow.time(8).microseconds / machine("H100", 4).time(8).microseconds == pytest.approx(1.03, abs=0.01)
    assert slow.bus(16 * GIB) == pytest.approx(machine("H100", 4).bus(16 * GIB), rel=0.01)


def test_time_grows_with_size() -> None:
    times = [
        machine("H100", 4, NCCL_ALGO="Ring", NCCL_PROTO="Simple").time(1 << power).microseconds
        for power in range(3, 35)
    ]
    assert times == sorted(times)

"""Figures of links by themselves, against published ones."""

from __future__ import annotations

import pytest

from engine.kernel.errors import BreakfixError
from engine.physics.paths import network, nvlink, pcie
from engine.physics.paths.figures import GPUS, gpu_figures

A100, H100, H200, B200 = GPUS.values()


@pytest.mark.parametrize(
    ("generation", "published"),
    [(5, 54.8), (4, 25.5)],
    ids=["Voltage Park", "knowledge of A100 systems"],
)
def test_a_copy_over_sixteen_lanes(generation: int, published: float) -> None:
    assert pcie.copy(generation, 16) == pytest.approx(published, rel=0.03)


def test_half_the_lanes_carry_half() -> None:
    assert pcie.rdma(5, 8) * 2 == pytest.approx(pcie.rdma(5, 16))
    assert pcie.rdma(5, 8) * 8 == pytest.approx(229, rel=0.005)  # below the kernel's 252.056 Gb/s


@pytest.mark.parametrize(
    ("rate", "ethernet", "published"),
    [(400, False, 392.0), (200, False, 196.5), (100, False, 97.5), (400, True, 392.0), (100, True, 98.01)],
)
def test_what_ib_write_bw_shows_of_a_wire(rate: int, ethernet: bool, published: float) -> None:
    assert network.wire_rate(rate, ethernet, 4096) * 8 == pytest.approx(published, rel=0.008)


def test_small_packets_cost_headers() -> None:
    infiniband = network.header_share(False, 1024) / network.header_share(False, 4096)
    ethernet = network.header_share(True, 1024) / network.header_share(True, 4096)
    assert infiniband == pytest.approx(0.981, abs=0.002) and ethernet == pytest.approx(0.945, abs=0.002)


def test_loss_costs_a_window() -> None:
    assert network.loss_share(0.0, 400, 4096) == 1.0
    assert network.loss_share(1e-2, 400, 4096) == pytest.approx(0.62, abs=0.01)
    assert network.loss_share(1e-4, 400, 4096) > 0.99
    assert network.packet_loss(15, 4096) < 1e-9 and network.packet_loss(0, 4096) == 1.0


@pytest.mark.parametrize(
    ("figures", "one_way", "both_ways"), [(H100, 380, 742), (H200, 396, None), (B200, 746, None)], ids=str
)
def test_copies_between_gpus(figures, one_way: float, both_ways: float | None) -> None:
    links = figures.nvlinks
    assert nvlink.peer(links, figures) == pytest.approx(one_way, rel=0.01)
    if both_ways:
        assert nvlink.raw(links, figures) * 2 * figures.both_ways_share == pytest.approx(both_ways, rel=0.01)


def test_nvlink_sharp_gains_with_the_number_of_gpus() -> None:
    by_number = [nvlink.nvls(18, H200, gpus) * 2 * (gpus - 1) / gpus for gpus in range(2, 9)]
    assert by_number == sorted(by_number)
    ring = nvlink.ring(18, H200)
    assert by_number[3 - 2] < ring < by_number[5 - 2]


def test_slow_clocks_have_headroom() -> None:
    assert nvlink.clock_share(0.7) == 1.0 and nvlink.clock_share(0.325) == pytest.approx(0.5)


def test_an_unknown_product_is_named() -> None:
    with pytest.raises(BreakfixError, match="H100"):
        gpu_figures("NVIDIA H100 80GB HBM2")

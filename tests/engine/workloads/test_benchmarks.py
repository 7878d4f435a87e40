"""Benchmarks of GPUs and machines against published figures."""

from __future__ import annotations

import pytest

from engine.physics.paths import network, nvlink
from engine.physics.paths.figures import GPUS
from engine.workloads import benchmarks

A100, H100, H200, B200 = GPUS.values()


def run(figures, nodes: int, rate: int) -> benchmarks.HplRun:
    return benchmarks.hpl(
        figures,
        nodes,
        8 * nodes,
        ring=nvlink.ring(figures.nvlinks, figures),
        network=network.wire_rate(rate, False, 4096) * 0.975 if nodes > 1 else 1e9,
    )


def test_memory() -> None:
    """DCGM's notes on its limits."""
    assert benchmarks.memory_rate(H100, 1.0) == pytest.approx(2540, rel=0.01)
    assert benchmarks.memory_rate(A100, 1.0) == pytest.approx(1694, rel=0.01)
    assert benchmarks.memory_rate(H100, 0.85) == pytest.approx(2540 * 0.85, rel=0.01)


def test_compute() -> None:
    """gpu-fryer#4, and the table of best matrix products."""
    assert benchmarks.burn(H100, 1.0) == pytest.approx(51500, rel=0.01)
    assert benchmarks.matrix_product(H100, 1.0) == pytest.approx(794.5, rel=0.01)
    assert benchmarks.burn(H100, 0.5, "double") == pytest.approx(benchmarks.burn(H100, 1.0, "double") / 2)


def test_hpl_of_a_node() -> None:
    """Voltage Park: 365 TFLOP/s."""
    found = run(H100, 1, 400)
    assert found.gflops / 1000 == pytest.approx(365.4, rel=0.01)
    assert (found.order, found.rows, found.columns) == (272384, 2, 4) and found.seconds == pytest.approx(37, abs=1)


def test_hpl_of_many_nodes() -> None:
    """Top500: 36 to 43 TFLOP/s a GPU on H100, 11 to 15 on A100."""
    assert 36 < run(H100, 32, 400).gflops / 1000 / 256 < 43
    assert 11 < run(A100, 32, 200).gflops / 1000 / 256 < 15


def test_a_b200_has_less_double_precision_than_an_h100() -> None:
    assert run(B200, 1, 400).gflops < run(H100, 1, 400).gflops


@pytest.mark.parametrize(("number", "times"), [(1, 0), (2, 1), (3, 1.5), (4, 2), (6, 2.5), (64, 6)])
def test_doublings(number: int, times: float) -> None:
    assert benchmarks.doublings(number) == times

"""The step against published runs and the arithmetic behind it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.physics.paths.figures import gpu_figures
from engine.workloads.training import model
from engine.world.records import TrainingConfiguration

H100 = gpu_figures("NVIDIA H100 80GB HBM3")
FSDP = TrainingConfiguration(13 * 10**9, 40, 5120, 4096, micro_batch=2, sharded=True)
TENSOR = TrainingConfiguration(30 * 10**9, 60, 6656, 4096, tensor_parallel=8, microbatches=8)
LLAMA_405B = TrainingConfiguration(
    405 * 10**9, 126, 16384, 8192, tensor_parallel=8, pipeline_parallel=16, interleave=8, microbatches=16
)


def seconds(plan: TrainingConfiguration, ranks: int, slow: dict[int, int] | None = None, **times: float) -> float:
    given = {"tensor": 0.0, "exchange": 0.0} | times
    return model.step(plan, H100, ranks, slow or {}, **given).seconds


@pytest.mark.parametrize(("ranks", "published"), [(8192, 430.0), (16384, 400.0)])
def test_llama_405b(ranks: int, published: float) -> None:
    """TFLOP/s per GPU of the Llama 3 report, with what an all-reduce of 268 MB takes within a node."""
    sequences = 2048  # 16 million tokens
    plan = replace(LLAMA_405B, microbatches=sequences // model.replicas(LLAMA_405B, ranks))
    found = model.flops_per_gpu(plan, ranks, seconds(plan, ranks, tensor=0.00107))
    assert found == pytest.approx(published, rel=0.04)


def test_one_slow_rank_paces_all() -> None:
    healthy = seconds(FSDP, 32)
    half = seconds(FSDP, 32, {0: model.slowness(FSDP, 0.5, 1.0)})
    assert model.slowness(FSDP, 0.5, 1.0) == 1_800_000
    assert half / healthy == pytest.approx(1.8, abs=0.02)
    assert half == seconds(FSDP, 32, {17: 1_800_000, 3: 1_100_000})


def test_a_slow_stage_costs_its_microbatches_and_not_the_bubble() -> None:
    plan = replace(TENSOR, pipeline_parallel=4, microbatches=12, tensor_parallel=2)
    healthy, slow = seconds(plan, 32), seconds(plan, 32, {0: 2_000_000})
    stage = model.microbatch(plan, H100)
    assert slow - healthy == pytest.approx(12 * stage, rel=1e-9)


def test_what_hides_under_computing_costs_nothing_more() -> None:
    assert seconds(FSDP, 32, exchange=0.2) - seconds(FSDP, 32) == pytest.approx(0.03)
    assert seconds(FSDP, 32, exchange=20.0) > 18.0
    assert seconds(TENSOR, 32, exchange=0.4) > seconds(TENSOR, 32, exchange=0.1) + 0.1


def test_tokens_and_operations() -> None:
    assert model.replicas(TENSOR, 32) == 4
    assert model.tokens_per_step(TENSOR, 32) == 4096 * 8 * 4
    assert model.operations_per_token(FSDP) == 6 * 13 * 10**9 + 6 * 40 * 5120 * 4096
    assert model.exchange_bytes(TENSOR) == 60 * 10**9
    assert model.checkpoint_seconds(FSDP, 4, 10.0, 40.0) == pytest.approx(4.55)
    assert model.checkpoint_seconds(FSDP, 2, 10.0, 40.0) == pytest.approx(9.1)


def test_retries_of_memory_slow_a_little_and_clocks_much() -> None:
    assert 1_030_000 < model.slowness(FSDP, 1.0, 0.85) < 1_040_000
    assert model.slowness(FSDP, 0.25, 1.0) == 3_400_000
    assert model.slowness(replace(FSDP, clock_bound=330), 0.28, 1.0) == pytest.approx(1_848_571, abs=2)
